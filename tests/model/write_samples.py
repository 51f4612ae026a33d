"""Write the frozen sample networks of one file format version and their kernels.

Run from the project's root when, and only when, the file format changes::

    python tests/model/write_samples.py

Files of older versions stay: ``test_frozen_predictions.py`` loads all of them for ever.
"""

import json
from pathlib import Path

import numpy as np
import torch

from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.storage.tensor_file import FORMAT_VERSION

SAMPLES = Path(__file__).parent / "samples"
SMALL = {"width": 6, "heads": 2, "feed_forward_width": 5}
CONFIGS = {
    "vectors": ContextKernelConfig(n_features=3, compatibility="additive", skip="gated", **SMALL),
    "images": ContextKernelConfig(image_size=16, encoder="fast-cnn", encoder_channels=(2, 3), **SMALL),
}


def write_sample(name: str, config: ContextKernelConfig) -> None:
    torch.manual_seed(20_201_001)
    network = ContextKernelNetwork(config, {"note": "a frozen sample with random weights"})
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    items = np.random.default_rng(7).random((5, *config.item_shape)).round(3)
    stem = SAMPLES / f"{name}-format-{FORMAT_VERSION}"
    network.save(stem.with_suffix(".safetensors"))
    frozen = {"items": items.tolist(), "kernel": network.kernel(items).astype(float).round(7).tolist()}
    stem.with_suffix(".json").write_text(json.dumps(frozen) + "\n", encoding="utf-8")


if __name__ == "__main__":
    SAMPLES.mkdir(exist_ok=True)
    for sample_name, sample_config in CONFIGS.items():
        write_sample(sample_name, sample_config)
