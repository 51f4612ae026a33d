"""The variants of the ablation: recipes for Omniglot that differ from another in one thing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from abclust.datasets.compound_characters import CompoundConfig
from abclust.experiments.omniglot_recipes import POST_NORM_AUGMENTATION, OmniglotRecipe, omniglot_recipe

BASE = "omniglot-post-norm"
"""The recipe that is taken apart."""


def _pools(recipe: OmniglotRecipe, **changes: Any) -> OmniglotRecipe:
    """The recipe with pools changed in all its kinds of steps."""
    kinds = tuple(replace(kind, pools=replace(kind.pools, **changes)) for kind in recipe.steps)
    return replace(recipe, steps=kinds)


def _small_images(recipe: OmniglotRecipe) -> OmniglotRecipe:
    """28 pixels: lengths in pixels are halved, and one halving of the encoder falls away."""
    given = recipe.augmentation
    augmentation = replace(
        given, elastic=given.elastic / 2, stroke=given.stroke / 2, ink_size=(17.0, 23.0), bold=given.bold / 2
    )
    network = replace(recipe.network, image_size=28, encoder_channels=(64, 128, 256))
    return replace(recipe, network=network, ink_size=20, augmentation=augmentation)


def _whole_sheets(recipe: OmniglotRecipe) -> OmniglotRecipe:
    """Sheets as they are: how large a character is and where it stands stays to be seen."""
    augmentation = replace(recipe.augmentation, ink_size=None, scale=0.15, shift=0.15)
    return replace(recipe, ink_size=None, augmentation=augmentation)


def _cropped(recipe: OmniglotRecipe) -> OmniglotRecipe:
    """The framing of ``omniglot`` and nothing else of it."""
    augmentation = replace(
        recipe.augmentation, shift=POST_NORM_AUGMENTATION.shift, ink_size=POST_NORM_AUGMENTATION.ink_size
    )
    return replace(recipe, ink_size=40, augmentation=augmentation)


def _one_alphabet(recipe: OmniglotRecipe) -> OmniglotRecipe:
    often, large = recipe.steps
    pools = replace(often.pools, pools_per_step=1, pool_size=400, sets_per_pool=8, largest_set=400)
    return replace(recipe, steps=(replace(often, pools=pools), large))


def _one_size(recipe: OmniglotRecipe) -> OmniglotRecipe:
    kind = recipe.steps[0]
    pools = replace(kind.pools, smallest_set=100, largest_set=100)
    return replace(recipe, steps=(replace(kind, share=1.0, pools=pools),))


def _with_compounds(recipe: OmniglotRecipe) -> OmniglotRecipe:
    often, large = recipe.steps
    mixed = (replace(often, share=often.share - 0.3), replace(often, share=0.3, compound=True), large)
    return replace(recipe, steps=mixed, compounds=CompoundConfig())


def _training(recipe: OmniglotRecipe, **changes: Any) -> OmniglotRecipe:
    return replace(recipe, training=replace(recipe.training, **changes))


def _network(recipe: OmniglotRecipe, **changes: Any) -> OmniglotRecipe:
    return replace(recipe, network=replace(recipe.network, **changes))


# As ``omniglot-post-norm`` has them, on whole sheets.
_PENS = replace(POST_NORM_AUGMENTATION, shear=0.2, shift=0.15, ink_size=None)

VARIANTS: dict[str, tuple[str, Callable[[OmniglotRecipe], OmniglotRecipe]]] = {
    "the recipe": (BASE, lambda recipe: recipe),
    "28 pixels in the place of 56": (BASE, _small_images),
    "whole sheets, not cropped to the ink": (BASE, _whole_sheets),
    "one alphabet a step, sets of 20 to 400": (BASE, _one_alphabet),
    "classes as they are, none bent": (BASE, lambda recipe: _pools(recipe, warped=0.0)),
    "no contrastive loss": (BASE, lambda recipe: _training(recipe, contrastive_weight=0.0)),
    "AdamW in the place of Muon": (
        BASE,
        lambda recipe: _training(recipe, optimizer="adamw", learning_rate=1e-3),
    ),
    "plain skips, not gated": (BASE, lambda recipe: _network(recipe, skip="plain")),
    "pre-norm blocks": (BASE, lambda recipe: _network(recipe, pre_norm=True)),
    "a direct path beside the context": (BASE, lambda recipe: _network(recipe, direct_path=True)),
    "softmax and similarity without log n and bias": (
        BASE,
        lambda recipe: _network(recipe, log_n_reference=None, similarity_bias=False),
    ),
    "sets of 100 alone": (BASE, _one_size),
    "half of the sets look-alikes": (BASE, lambda recipe: _pools(recipe, look_alike=0.5)),
    "compounds in a third of the steps": (BASE, _with_compounds),
    "the paper's architecture": ("omniglot-paper-mul", lambda recipe: recipe),
    "the paper's architecture, 128 sets a step": (
        "omniglot-paper-mul",
        lambda recipe: _pools(recipe, pools_per_step=32),
    ),
    "the paper's architecture, sets of 20 to 200": (
        "omniglot-paper-mul",
        lambda recipe: _pools(recipe, smallest_set=20, largest_set=200),
    ),
    "the paper's architecture, other pens and scanners": (
        "omniglot-paper-mul",
        lambda recipe: replace(recipe, augmentation=_PENS),
    ),
    "the paper's architecture, cropped to the ink": ("omniglot-paper-mul", _cropped),
    "the paper's architecture with log n and bias": (
        "omniglot-paper-mul",
        lambda recipe: _network(recipe, log_n_reference=100, similarity_bias=True),
    ),
}
"""What is told of a variant, the recipe it starts from, and the one change."""


def variant_recipe(name: str, images: int) -> OmniglotRecipe:
    """The recipe of a variant, as long as `images` images last."""
    start, change = VARIANTS[name]
    recipe = change(omniglot_recipe(start))
    per_step = sum(kind.share * kind.images for kind in recipe.steps)
    steps = max(1, round(images / per_step))
    return replace(recipe, training=replace(recipe.training, steps=steps))
