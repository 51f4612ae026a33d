"""Names of files that came from a client: to be shown, and to be given to the folders of a download."""

import re
from pathlib import PurePosixPath

LONGEST_NAME = 255
_LONGEST_FILE_NAME = 120  # leaves room for the folder and a number where paths are short


def printable_name(name: str) -> str:
    """A name that can stand in JSON, in a table and on a page; its end if it is too long.

    Examples
    --------
    >>> printable_name("scans/a\\x00.png"), printable_name("")
    ('scans/a.png', 'unnamed')
    """
    shown = "".join(letter for letter in name if letter.isprintable())
    return shown[-LONGEST_NAME:] or "unnamed"


def safe_name(name: str) -> str:
    """A file name without folders and without anything that a file system may take amiss.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("C:\\\\scan 1.png"), safe_name("..")
    ('passwd', 'scan 1.png', 'item')
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    cleaned = re.sub(r"[^\w\-. ()\[\]]", "_", last).strip(" .")
    return cleaned[-_LONGEST_FILE_NAME:] or "item"


def unique_path(folder: str, name: str, taken: set[str]) -> str:
    """The path of a file in a folder, with a number if there is one of that name already.

    Parameters
    ----------
    folder
        With its slash.
    name
        From :func:`safe_name`.
    taken
        The paths given so far, in small letters: file systems that do not tell A from a must be able to
        unpack them too. The new one is added.

    Examples
    --------
    >>> taken = set()
    >>> [unique_path("a/", name, taken) for name in ("x.png", "X.png")]
    ['a/x.png', 'a/X (2).png']
    """
    stem, dot, suffix = name.rpartition(".")
    stem, suffix = (stem, dot + suffix) if stem else (name, "")
    number, path = 1, folder + name
    while path.lower() in taken:
        number += 1
        path = f"{folder}{stem} ({number}){suffix}"
    taken.add(path.lower())
    return path
