"""Networks by name: the shipped weights, their cards and their checksums."""
