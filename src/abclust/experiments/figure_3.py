"""The paper's Figure 3, from the code: the layers that encode a character, and our faster ones beside them.

Command
    ``abclust reproduce figure-3``
Cost
    Seconds; ``--quick`` is the same.
Expected
    Four ConvBlocks of 64 channels take an image of 28 x 28 to 14, 7, 3 and 1 pixels a side: 64 numbers, then
    128 by Linear-Tanh-Linear.

Shapes are those that come out when an image goes in; nothing is typed.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.omniglot_recipes import RECIPES
from abclust.experiments.registry import ReproduceOptions
from abclust.figures.omniglot_figures import LayerBox, draw_layers
from abclust.figures.style import save_figure
from abclust.foundations.errors import FileFormatError
from abclust.model.config import PAPER_OMNIGLOT, ContextKernelConfig
from abclust.model.conv_blocks import ConvBlock
from abclust.model.element_encoders import build_encoder

NAME = "figure-3"
ENCODERS: dict[str, ContextKernelConfig] = {
    "Paper: four ConvBlocks": PAPER_OMNIGLOT,
    "Weights omniglot-paper-*": RECIPES["omniglot-paper-mul"].network,
    "Weights omniglot": RECIPES["omniglot"].network,
}
"""The columns of the figure."""

Row = dict[str, Any]


def run(options: ReproduceOptions) -> list[Path]:
    """Send an image through each encoder, write the rows, draw the figure. Gives the two files."""
    stored, picture = options.output / f"{NAME}.json", options.output / f"{NAME}.png"
    if not options.render:
        rows = [row for title, config in ENCODERS.items() for row in encoder_rows(title, config)]
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    draw(read_results(stored).rows, picture)
    return [stored, picture]


def encoder_rows(title: str, config: ContextKernelConfig) -> list[Row]:
    """One row for the image and one for each layer that an image meets, in order."""
    encoder = build_encoder(config).eval()
    layers = [
        (name, module)
        for name, module in encoder.named_modules()
        if isinstance(module, ConvBlock | nn.PixelUnshuffle | nn.Linear | nn.Tanh)
    ]
    shapes: dict[str, list[int]] = {}
    for name, module in layers:
        module.register_forward_hook(_recorder(name, shapes))
    with torch.no_grad():
        encoder(torch.zeros(1, *config.item_shape))
    image = {"encoder": title, "layer": "image", "operations": "ink 1 on 0", "shape": list(config.item_shape)}
    rows = [
        {
            "encoder": title,
            "layer": type(module).__name__.removeprefix("Image"),
            "operations": _operations(module),
            "shape": shapes[name],
            "parameters": sum(parameter.numel() for parameter in module.parameters()),
        }
        for name, module in layers
    ]
    return [{**image, "parameters": 0}, *rows]


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the figure from rows alone."""
    columns: dict[str, list[LayerBox]] = {}
    try:
        for row in rows:
            shape = " x ".join(map(str, row["shape"]))
            box = LayerBox(row["layer"], row["operations"], shape)
            columns.setdefault(row["encoder"], []).append(box)
    except KeyError as error:
        raise FileFormatError(f"{NAME}.json must hold rows of layers. Got a row without {error}.") from error
    save_figure(draw_layers(dict(columns)), path)


def _recorder(name: str, shapes: dict[str, list[int]]) -> Any:
    def record(module: nn.Module, inputs: Any, output: Tensor) -> None:
        shapes[name] = list(output.shape[1:])

    return record


def _operations(module: nn.Module) -> str:
    """What a layer does, from its own parts."""
    if isinstance(module, ConvBlock):
        conv, _, pool, _ = module
        assert isinstance(conv, nn.Conv2d)  # a ConvBlock's parts
        assert isinstance(pool, nn.MaxPool2d)
        kernel = " x ".join(map(str, conv.kernel_size))
        return f"conv {kernel} (padding {conv.padding[0]}), norm, ReLU, max pool {pool.kernel_size}"
    if isinstance(module, nn.PixelUnshuffle):
        side = module.downscale_factor
        return f"each {side} x {side} patch to {side**2} channels"
    if isinstance(module, nn.Linear):
        return f"{module.in_features} to {module.out_features}"
    return "element by element"
