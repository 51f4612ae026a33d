"""Where data sets live: a path, ``ABCLUST_DATA``, beside the project, the user's cache, else a download."""

import os
from collections.abc import Iterator
from pathlib import Path

from abclust.foundations.errors import DataNotFoundError

DATA_VARIABLE = "ABCLUST_DATA"
CACHE_VARIABLE = "ABCLUST_CACHE"


def cache_folder() -> Path:
    """The user's cache: ``ABCLUST_CACHE``, or the place that the operating system gives to caches."""
    import pooch

    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser() if named else Path(pooch.os_cache("abclust"))


def find_archive(
    file_name: str,
    data_set: str,
    *,
    data: str | os.PathLike[str] | None,
    url: str,
    checksum: str,
    download: bool,
) -> Path:
    """The path of an archive, fetched if it is in none of the usual places.

    Parameters
    ----------
    file_name, data_set
        Such as ``"images_background.zip"`` of ``"omniglot"``.
    data
        The archive, or the folder that holds it. If given, no other place is looked at.
    url, checksum
        Where it is published, and ``"md5:..."`` of what is published there.
    download
        Whether to fetch it.

    Raises
    ------
    DataNotFoundError
        If it is nowhere, and either `download` is False or the download fails. The message lists the places.
    """
    if data is not None:
        places = list(_within(Path(data).expanduser(), file_name, data_set))
    else:
        places = list(_usual_places(file_name, data_set))
    for place in places:
        if place.is_file():
            return place
    looked = f"Looked for {file_name} at: {', '.join(map(str, places))}."
    hint = f"Fetch {url} and name its folder with data=... (--data) or {DATA_VARIABLE}."
    if data is not None or not download:
        raise DataNotFoundError(f"data must name the archive or its folder. Got {data!r}. {looked} {hint}")
    return _fetch(url, checksum, cache_folder() / data_set, file_name, f"{looked} {hint}")


def _usual_places(file_name: str, data_set: str) -> Iterator[Path]:
    if named := os.environ.get(DATA_VARIABLE):
        yield from _within(Path(named).expanduser(), file_name, data_set)
    source_tree = Path(__file__).parents[3]  # src/abclust/datasets/: only there when run from a checkout
    for project in dict.fromkeys([Path.cwd(), source_tree]):
        yield project.parent / "shared" / "data" / data_set / file_name
    yield cache_folder() / data_set / file_name


def _within(place: Path, file_name: str, data_set: str) -> Iterator[Path]:
    """The place itself if it is a file, else the archive in it or in its folder for the data set."""
    if place.is_file():
        yield place
    else:
        yield place / file_name
        yield place / data_set / file_name


def _fetch(url: str, checksum: str, folder: Path, file_name: str, advice: str) -> Path:
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    try:
        return Path(pooch.retrieve(url, known_hash=checksum, fname=file_name, path=folder, progressbar=False))
    except (OSError, requests.RequestException) as error:
        reason = "there is no network here, or the server did not answer"
        raise DataNotFoundError(
            f"{file_name} could not be downloaded: {reason} ({error}). {advice}"
        ) from error
    except ValueError as error:  # pooch's word for a wrong checksum
        raise DataNotFoundError(f"{file_name} came with a wrong checksum: {error}. {advice}") from error
