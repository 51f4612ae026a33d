"""The page and the JSON interface behind it: ``abclust serve`` (the ``web`` extra).

The server itself never computes: files, kernels and reports are the work of worker processes, which have
limits of time and memory and can be ended and replaced. What a client sends stays in memory and never meets
the disk, by name or by content.
"""
