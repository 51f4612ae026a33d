"""How a command ends, in a number that scripts can rely on."""

DONE = 0
"""Everything that was asked for is there."""
MENDABLE = 2
"""Nothing was done: an option, a file or the data must be mended first. The last line says what."""
LEFT_OUT = 3
"""Done, but some sets or images had to be left out; each is named on standard error and in ``--json``."""
TERMINATED = 143
"""Ended by SIGTERM; nothing half-written is left behind. Ctrl-C ends with 130 in the same way."""
