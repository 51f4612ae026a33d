"""Sets too large for an n x n matrix: neighbours, local sets, one sparse graph of log-odds, its clusters."""
