"""Correlation clustering on log-odds: the partition that gathers most evidence, whatever its k.

The objective of a partition is the sum of log(p / (1 - p)) over all pairs that it puts together. It is
positive evidence gathered minus negative evidence swallowed, so the number of clusters falls out of it.
"""
