"""Arrays in, matplotlib figures out; nothing here knows tensors, networks or pyplot's global state."""
