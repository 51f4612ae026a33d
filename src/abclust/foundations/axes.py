"""The axis glossary: what the letters in shape annotations mean, everywhere.

======  ==============================================================
letter  axis
======  ==============================================================
B       sets in a batch
n       items in a set (m where queries and keys are different sets)
d       features of an item as it comes in
h       width of the network
e       width of an encoded item: h, and behind it what a pair path needs
heads   attention heads
p       width of one head
N       items of many sets in one flat list, N = B n without padding
H W     height and width of an image
k       clusters
======  ==============================================================

The paper's own letters (K for keys, k for clusters, h for heads) stand in docstrings only, as formulas.
"""
