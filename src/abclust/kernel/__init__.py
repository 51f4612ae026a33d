"""From embedded items to a kernel: a symmetric n x n matrix of probabilities."""
