"""Images with a class and a group each (characters of alphabets); further classes by turning them."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Int, UInt8

from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class GroupedImages:
    """Grey images (ink = 255 on 0), the class of each and the group that the class belongs to.

    An :class:`abclust.datasets.InstanceSampler` takes it as it is: a set never mixes groups.

    Attributes
    ----------
    images
        Shape (N, S, S).
    labels
        The class of each image, as a place in `class_names`. Shape (N,).
    groups
        The group of each image, as a place in `group_names`. Shape (N,).
    class_names
        Such as ``"Greek/character01"``.
    group_names
        Such as ``"Greek"``.
    """

    images: UInt8[np.ndarray, "N S S"]
    labels: Int[np.ndarray, " N"]
    groups: Int[np.ndarray, " N"]
    class_names: tuple[str, ...]
    group_names: tuple[str, ...]

    @property
    def items(self) -> UInt8[np.ndarray, "N S S"]:
        return self.images

    @property
    def fingerprint(self) -> str:
        """A sha256 of pixels, classes, groups and names: one value for one data set, however packed."""
        digest = hashlib.sha256(repr((self.images.shape, self.class_names, self.group_names)).encode())
        for array in (self.images, self.labels.astype("<i8"), self.groups.astype("<i8")):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self.images)

    def select(self, group_names: Collection[str]) -> "GroupedImages":
        """Only these groups, in the order that they have here.

        Raises
        ------
        InvalidInputError
            If a name is not one of the groups, or none is given.
        """
        unknown = sorted(set(group_names) - set(self.group_names))
        if unknown or not group_names:
            raise InvalidInputError(
                f"group_names must be some of {', '.join(self.group_names)}. Got {unknown or 'none'}."
            )
        is_chosen = np.isin(self.groups, [self.group_names.index(name) for name in set(group_names)])
        classes, labels = np.unique(self.labels[is_chosen], return_inverse=True)
        kept, groups = np.unique(self.groups[is_chosen], return_inverse=True)
        return GroupedImages(
            images=self.images[is_chosen],
            labels=labels,
            groups=groups,
            class_names=tuple(self.class_names[place] for place in classes),
            group_names=tuple(self.group_names[place] for place in kept),
        )


def with_rotations(data: GroupedImages) -> GroupedImages:
    """Each class turned by 0, 90, 180 and 270 degrees: four times the classes of a group (authors' code).

    Examples
    --------
    >>> zeros = np.zeros(2, dtype=int)
    >>> one = GroupedImages(np.zeros((2, 3, 3), np.uint8), zeros, zeros, ("a/1",), ("a",))
    >>> with_rotations(one).class_names
    ('a/1', 'a/1 turned 90', 'a/1 turned 180', 'a/1 turned 270')
    """
    n_classes = len(data.class_names)
    turned = [data.class_names] + [
        tuple(f"{name} turned {turn}" for name in data.class_names) for turn in (90, 180, 270)
    ]
    return replace(
        data,
        images=np.concatenate([np.rot90(data.images, quarter, axes=(1, 2)) for quarter in range(4)]),
        labels=np.concatenate([data.labels + quarter * n_classes for quarter in range(4)]),
        groups=np.tile(data.groups, 4),
        class_names=sum(turned, ()),
    )


def with_mirror_images(data: GroupedImages) -> GroupedImages:
    """Each group once more in the mirror, left and right exchanged: new classes of new groups (ours).

    New groups and not new classes of the old ones, because many characters are their own mirror image.
    """
    return GroupedImages(
        images=np.concatenate([data.images, data.images[:, :, ::-1]]),
        labels=np.concatenate([data.labels, data.labels + len(data.class_names)]),
        groups=np.concatenate([data.groups, data.groups + len(data.group_names)]),
        class_names=data.class_names + tuple(f"{name} mirrored" for name in data.class_names),
        group_names=data.group_names + tuple(f"{name} mirrored" for name in data.group_names),
    )
