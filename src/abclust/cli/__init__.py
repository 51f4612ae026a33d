"""The command line: thin, one file a command. ``abclust --help`` is the manual."""
