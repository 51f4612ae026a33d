"""The frozen configuration of a network, and the published settings under the paper's name."""

from dataclasses import dataclass
from typing import Any

from abclust.attention.blocks import FEED_FORWARD_ACTIVATIONS, SKIPS
from abclust.attention.compatibility import ACTIVATIONS
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.kernel.similarity_head import SYMMETRISATIONS

VECTOR_ENCODERS = ("identity", "mlp")
IMAGE_ENCODERS = ("fast-cnn", "paper-cnn", "residual-cnn")


@dataclass(frozen=True)
class ContextKernelConfig:
    """What a :class:`~abclust.ContextKernelNetwork` is made of. The defaults are the paper's.

    Fields marked (ours) or (authors' code) are off by default and have a row in ``docs/fidelity.md``.

    Examples
    --------
    >>> ContextKernelConfig(n_features=2, compatibility="additive").n_blocks
    2
    """

    n_features: int | None = None
    """Features of an item, for vectors. Exactly one of n_features and image_size is given."""
    image_size: int | None = None
    """Height and width of an image, for images (one grey channel)."""
    encoder: str = "mlp"
    """How an item alone becomes a vector: "identity", "mlp" (Linear-Tanh-Linear, authors' code), "paper-cnn"
    (four ConvBlocks of 64, paper Figure 3), "fast-cnn" (pixel-unshuffle first, ours) or "residual-cnn" (the
    same with residual units, and 4 x 4 places instead of one at the end, ours)."""
    encoder_channels: tuple[int, ...] | None = None
    """Channels of the ConvBlocks or stages; 64-64-64-64 (paper-cnn) or 48-96-192 (the others) unless
    given."""
    encoder_units: tuple[int, ...] | None = None
    """Residual units of each stage of "residual-cnn"; 0-1-1 unless given."""
    fourier_octaves: int = 0
    """Sine and cosine of each coordinate at this many octaves beside the coordinate itself (ours)."""
    width: int = 128
    """Width of the network: keys, queries and values together (paper App. C.1)."""
    heads: int = 4
    """Attention heads (paper App. C.1)."""
    head_width: int | None = None
    """Width of one head; width / heads unless given."""
    n_blocks: int = 2
    """Self-attention blocks (paper App. C.1). 0 is the paper's pairwise ablation: no context."""
    compatibility: str = "multiplicative"
    """"multiplicative", "additive", "siamese" or a registered name (paper Table 1)."""
    activation: str = "tanh"
    """Element-wise activation of additive compatibility."""
    feed_forward_width: int | None = 256
    """Hidden width of the feed-forward layer; None is a single Linear without activation (authors' code)."""
    feed_forward_activation: str = "relu"
    """Activation of the feed-forward layer: "relu" or "gelu"."""
    output_projection: bool = True
    """W_O after the heads (paper Sec. 2.2); False as the authors' code on circles."""
    pre_norm: bool = False
    """Layer norm before instead of after each part (ours)."""
    skip: str = "plain"
    """Skip connections: "plain" (paper Eqs. 1 and 2) or "gated" (the paper's proposal in its Discussion)."""
    softmax_scale: str = "paper"
    """"paper": 1/sqrt(head width) for multiplicative, none for additive. "authors": 1/sqrt(width), both."""
    log_n_reference: int | None = None
    """Multiply the compatibilities of a set of n by log n / log(this), for sets larger than trained on
    (ours)."""
    similarity: str | None = None
    """Compatibility of the similarity head; the same as in the blocks unless given."""
    similarity_projections: bool = True
    """Biased query and key projections in the head (authors' code); False is the paper's literal reading."""
    similarity_scale: str = "paper"
    """"paper": as Table 1. "none": q.k without the scale (authors' code)."""
    similarity_bias: bool = False
    """A learned number added to every logit (ours)."""
    symmetrisation: str = "probability"
    """"probability": mean of two sigmoids (paper). "logit": sigmoid of the mean logit (authors' code)."""
    pair_columns: tuple[tuple[int, int], ...] = ()
    """Groups of columns, (first, one past the last), in which distances between items are given to every
    head and to the logits (ours); see :class:`~abclust.model.pair_path.PairPath`."""
    pair_sums: tuple[int, int] = (0, 0)
    """Columns of which every pair is given the sums, where there are `pair_columns` (ours)."""
    direct_path: bool = False
    """Add a learned multiple of the cosine of the encoded items to the logits, beside the context path
    (ours)."""

    def __post_init__(self) -> None:
        self._check_items()
        for name in ("width", "heads"):
            _check_at_least(name, getattr(self, name), 1)
        for name in ("n_blocks", "fourier_octaves"):
            _check_at_least(name, getattr(self, name), 0)
        for name in ("head_width", "feed_forward_width"):
            if getattr(self, name) is not None:
                _check_at_least(name, getattr(self, name), 1)
        if self.log_n_reference is not None:
            _check_at_least("log_n_reference", self.log_n_reference, 2)
        check_choice("activation", self.activation, ACTIVATIONS)
        check_choice("feed_forward_activation", self.feed_forward_activation, FEED_FORWARD_ACTIVATIONS)
        check_choice("skip", self.skip, SKIPS)
        check_choice("softmax_scale", self.softmax_scale, ("paper", "authors"))
        check_choice("similarity_scale", self.similarity_scale, ("paper", "none"))
        check_choice("symmetrisation", self.symmetrisation, SYMMETRISATIONS)

    @property
    def item_shape(self) -> tuple[int, ...]:
        """Shape of one item: (d,) or (H, W)."""
        if self.image_size is not None:
            return (self.image_size, self.image_size)
        return (self.n_features or 0,)

    def _check_items(self) -> None:
        if (self.n_features is None) == (self.image_size is None):
            raise InvalidInputError(
                "exactly one of n_features (vectors) and image_size (images) must be given. "
                f"Got n_features={self.n_features!r}, image_size={self.image_size!r}."
            )
        self._check_pairs()
        if self.n_features is not None:
            _check_at_least("n_features", self.n_features, 1)
            check_choice("encoder of vectors", self.encoder, VECTOR_ENCODERS)
        else:
            _check_at_least("image_size", self.image_size, 16)
            check_choice("encoder of images", self.encoder, IMAGE_ENCODERS)
            if self.encoder_units is not None and self.encoder != "residual-cnn":
                raise InvalidInputError(
                    f'encoder_units must be None unless encoder is "residual-cnn". Got {self.encoder_units}.'
                )
            if self.fourier_octaves:
                raise InvalidInputError("fourier_octaves must be 0 for images: they are for coordinates.")

    def _check_pairs(self) -> None:
        n_features = self.n_features or 0
        ranges = [*self.pair_columns, self.pair_sums]
        if any(not 0 <= first <= last <= n_features for first, last in ranges):
            raise InvalidInputError(
                "pair_columns and pair_sums must be ranges (first, one past the last) of the "
                f"{n_features} features. Got {self.pair_columns} and {self.pair_sums}."
            )


def _check_at_least(name: str, value: Any, smallest: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < smallest:
        raise InvalidInputError(f"{name} must be an integer of at least {smallest}. Got {value!r}.")


PAPER_CIRCLES = ContextKernelConfig(n_features=2)
"""The network of the paper's first experiment: points of the plane, two SABs, four heads, width 128."""

PAPER_OMNIGLOT = ContextKernelConfig(image_size=28, encoder="paper-cnn")
"""The network of the paper's second experiment: Figure 3's CNN, two SABs, four heads, width 128."""
