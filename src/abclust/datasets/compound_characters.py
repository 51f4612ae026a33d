"""Characters that nobody designed, in hands that are real: parts of one alphabet put together to new ones.

Twenty-five alphabets hold a few hundred characters, and a network that has learnt them by heart has nothing
left to learn. Two or three of them drawn into one frame make a further character with real strokes and real
variation between writers, and there is no end of such. The characters of one new alphabet are made of few
parts, so that they differ by one part or by its place alone, as the characters of real scripts do (ours).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int, UInt8
from torch import Tensor
from torch.nn import functional as F

from abclust.datasets.grouped_images import GroupedImages
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed, as_generator

# Boxes (left, top, width, height) of the parts in the unit square.
LAYOUTS: tuple[tuple[tuple[float, float, float, float], ...], ...] = (
    ((0.0, 0.15, 0.55, 0.7), (0.45, 0.15, 0.55, 0.7)),  # side by side
    ((0.15, 0.0, 0.7, 0.55), (0.15, 0.45, 0.7, 0.55)),  # one above the other
    ((0.1, 0.1, 0.8, 0.8), (0.1, 0.1, 0.8, 0.8)),  # drawn over each other
    ((0.0, 0.0, 0.75, 0.75), (0.6, 0.0, 0.4, 0.4)),  # a small one at a corner
    ((0.0, 0.25, 0.75, 0.75), (0.55, 0.6, 0.4, 0.4)),
    ((0.2, 0.25, 0.75, 0.75), (0.0, 0.0, 0.4, 0.4)),
    ((0.0, 0.0, 0.5, 0.5), (0.5, 0.0, 0.5, 0.5), (0.25, 0.5, 0.5, 0.5)),  # three
)


@dataclass(frozen=True)
class CompoundConfig:
    """How many new characters, and of how many parts."""

    alphabets_each: int = 4
    """New alphabets for each of the given ones."""
    n_characters: int = 30
    """Characters of a new alphabet."""
    n_parts: int = 9
    """Characters of the old alphabet that those of a new one are made of; fewer are harder to tell apart."""
    jitter: float = 0.06
    """Standard deviation of where each writer puts a part, and of its size, as a share of the frame."""

    def __post_init__(self) -> None:
        if min(self.alphabets_each, self.n_characters) < 1 or self.n_parts < 3 or self.jitter < 0:
            raise InvalidInputError(
                "alphabets_each and n_characters must be at least 1, n_parts at least 3, jitter not "
                f"negative. Got {self}."
            )


def compound_alphabets(
    data: GroupedImages, config: CompoundConfig | None = None, *, image_size: int = 28, seed: Seed = 0
) -> GroupedImages:
    """New alphabets made of parts of given ones.

    Parameters
    ----------
    data
        The characters that parts are taken from, best at twice the size that is wanted. Its evaluation
        alphabets, if it has any, would leak: give it only what may be learnt from.
    config
        How many.
    image_size
        Side of the new images.
    seed
        The same seed gives the same characters.

    Returns
    -------
    GroupedImages
        Each new character drawn as often as the rarest of its parts. Groups are named after the old alphabet
        with a number, such as ``"Greek compound 2"``.

    Raises
    ------
    InvalidInputError
        If an alphabet has fewer than three characters.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> images = (rng.random((20, 14, 14)) > 0.9).astype(np.uint8) * 255
    >>> few = GroupedImages(images, np.arange(20) // 4, np.zeros(20, dtype=int), tuple("abcde"), ("old",))
    >>> new = compound_alphabets(few, CompoundConfig(alphabets_each=2, n_characters=3), image_size=7)
    >>> new.images.shape, new.group_names
    ((24, 7, 7), ('old compound 1', 'old compound 2'))
    """
    config = config or CompoundConfig()
    rng = as_generator(seed)
    plans: list[CharacterPlan] = []
    for group, group_name in enumerate(data.group_names):
        members = np.flatnonzero(data.groups == group)
        classes = [members[data.labels[members] == label] for label in np.unique(data.labels[members])]
        if len(classes) < 3:
            raise InvalidInputError(f"an alphabet must have at least three characters. Got {group_name!r}.")
        for number in range(config.alphabets_each):
            plans += _plan_alphabet(classes, f"{group_name} compound {number + 1}", config, rng)
    images = [_draw(data.images, plan, config, image_size, rng) for plan in plans]
    group_names = tuple(dict.fromkeys(plan.group_name for plan in plans))
    counts = [len(each) for each in images]
    places = [group_names.index(plan.group_name) for plan in plans]
    return GroupedImages(
        images=np.concatenate(images),
        labels=np.repeat(np.arange(len(plans)), counts),
        groups=np.repeat(places, counts),
        class_names=tuple(f"{plan.group_name}/{number}" for number, plan in enumerate(plans)),
        group_names=group_names,
    )


@dataclass(frozen=True)
class CharacterPlan:
    """One new character: which images of which parts go into which boxes."""

    group_name: str
    parts: Int[np.ndarray, "writers parts"]
    boxes: Float[np.ndarray, "parts 4"]


def _plan_alphabet(
    classes: Sequence[np.ndarray], group_name: str, config: CompoundConfig, rng: np.random.Generator
) -> list[CharacterPlan]:
    """Characters of few parts, no two of the same parts in the same layout."""
    chosen = rng.choice(len(classes), size=min(config.n_parts, len(classes)), replace=False)
    plans, known = [], set()
    for _ in range(50 * config.n_characters):
        layout = int(rng.integers(len(LAYOUTS)))
        parts = tuple(rng.choice(chosen, size=len(LAYOUTS[layout]), replace=False).tolist())
        is_overlay = LAYOUTS[layout][0] == LAYOUTS[layout][1]
        key = (layout, tuple(sorted(parts)) if is_overlay else parts)
        if key in known:
            continue
        known.add(key)
        n_writers = min(len(classes[part]) for part in parts)
        images = np.stack([rng.permutation(classes[part])[:n_writers] for part in parts], axis=1)
        boxes = np.array(LAYOUTS[layout]) + rng.normal(scale=config.jitter / 2, size=(len(parts), 4))
        plans.append(CharacterPlan(group_name, images, boxes))
        if len(plans) == config.n_characters:
            break
    return plans


def _draw(
    images: UInt8[np.ndarray, "N S S"],
    plan: CharacterPlan,
    config: CompoundConfig,
    image_size: int,
    rng: np.random.Generator,
) -> UInt8[np.ndarray, "writers s s"]:
    """Every part shrunk into its box, the darkest ink of all parts taken, then brought to size."""
    n_writers, n_parts = plan.parts.shape
    noise = rng.normal(scale=config.jitter, size=(n_writers, n_parts, 4)) * [1, 1, 0.7, 0.7]
    boxes = torch.from_numpy(plan.boxes + noise).float()
    sheets = torch.from_numpy(images[plan.parts]).float() / 255.0
    # Shrinking makes strokes thin and pale: widen them first, as the pen would.
    sheets = F.max_pool2d(sheets, 3, stride=1, padding=1)
    placed = _place(sheets.flatten(0, 1), boxes.flatten(0, 1)).unflatten(0, (n_writers, n_parts))
    whole = placed.amax(dim=1, keepdim=True)
    small = F.interpolate(whole, size=(image_size, image_size), mode="area")[:, 0]
    return (small * 255).round().to(torch.uint8).numpy()


def _place(sheets: Float[Tensor, "N S S"], boxes: Float[Tensor, "N 4"]) -> Float[Tensor, "N S S"]:
    """Each sheet scaled into its box, which is moved into the unit square if it sticks out of it."""
    left, top, width, height = boxes.unbind(dim=1)
    width, height = width.clamp(0.2, 1.0), height.clamp(0.2, 1.0)
    left, top = left.clamp(min=0).minimum(1 - width), top.clamp(min=0).minimum(1 - height)
    zeros = torch.zeros_like(left)
    # An output place y in [-1, 1] looks at the input place (y - centre) / size.
    centre_x, centre_y = 2 * left + width - 1, 2 * top + height - 1
    look = torch.stack(
        [
            torch.stack([1 / width, zeros, -centre_x / width], dim=1),
            torch.stack([zeros, 1 / height, -centre_y / height], dim=1),
        ],
        dim=1,
    )
    grid = F.affine_grid(look, [len(sheets), 1, *sheets.shape[1:]], align_corners=False)
    return F.grid_sample(sheets[:, None], grid, padding_mode="zeros", align_corners=False)[:, 0]
