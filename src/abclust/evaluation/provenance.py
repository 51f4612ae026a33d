"""Where a number comes from: the commit, the versions and the machine, without naming the host."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

UNKNOWN = "unknown"
_PACKAGES = ("abclust", "torch", "numpy", "scipy", "scikit-learn")


def current_commit(folder: str | Path | None = None) -> str:
    """The commit of the source in use, ``-dirty`` if files differ from it, "unknown" outside a repository.

    Parameters
    ----------
    folder
        Where to ask; this package's own folder by default. A folder that git does not track (an
        installation inside somebody else's repository) is "unknown" too: their commit says nothing about
        this code.
    """
    place = Path(folder) if folder is not None else Path(__file__).parent
    if not _git(place, "ls-files", "--", "."):
        return UNKNOWN
    commit = _git(place, "rev-parse", "HEAD")
    if not commit:
        return UNKNOWN
    changed = _git(place, "status", "--porcelain", "--untracked-files=no", "--", ":/")
    return f"{commit}-dirty" if changed else commit


def package_versions() -> dict[str, str]:
    """The versions of Python and of the packages that decide numbers.

    Examples
    --------
    >>> sorted(package_versions())
    ['abclust', 'numpy', 'python', 'scikit-learn', 'scipy', 'torch']
    """
    return {"python": platform.python_version(), **{name: _installed_version(name) for name in _PACKAGES}}


def machine_description() -> dict[str, Any]:
    """Cores this process may use, system and CPU: what a timing depends on, and no host name.

    Examples
    --------
    >>> sorted(machine_description())
    ['cores', 'cpu', 'platform']
    """
    return {
        "cores": _usable_cores(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu_name(),
    }


def _git(folder: Path, *arguments: str) -> str:
    """What git prints, or nothing where there is no git, no repository or no commit."""
    try:
        found = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()


def _installed_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return UNKNOWN


def _usable_cores() -> int:
    # A container may see more cores than it may use; not every system can tell.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or UNKNOWN
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or UNKNOWN
