"""The version of the installed distribution."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("abclust")
except PackageNotFoundError:  # a source tree on the path, never installed
    __version__ = "0+unknown"
