"""Engines: many sets, many workers, one interface. Who wants sets clustered need not know where."""
