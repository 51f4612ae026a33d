"""The exported graph is the network: for any number of sets and items, with padding, in every form."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.foundations.frozen_config import to_dict
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.model.onnx_export import (
    CHECKED_SIZES,
    HEADER_KEY,
    TOLERANCE,
    compare_with_onnx,
    export_onnx,
    read_onnx_header,
)

pytest.importorskip("onnxscript", reason="the extra 'export' is not installed: pip install 'abclust[export]'")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs: pip install 'abclust[export]'")

# Between them: both compatibilities, vectors and images, both CNNs, gated skips, Fourier features, log-n
# scale, direct path, distances of pairs, pre-norm, the paper's pairwise ablation, both symmetrisations.
NETWORKS = {
    "multiplicative vectors": ContextKernelConfig(
        n_features=3,
        width=14,
        heads=2,
        pre_norm=True,
        skip="gated",
        fourier_octaves=5,
        log_n_reference=11,
        direct_path=True,
        similarity_bias=True,
    ),
    "additive vectors": ContextKernelConfig(
        n_features=5, width=6, heads=2, compatibility="additive", log_n_reference=13, symmetrisation="logit"
    ),
    "vectors with distances of pairs": ContextKernelConfig(
        n_features=7,
        width=6,
        heads=2,
        pre_norm=True,
        log_n_reference=11,
        pair_columns=((0, 3), (3, 5)),
        pair_sums=(5, 7),
    ),
    "gated images": ContextKernelConfig(
        image_size=16,
        encoder="fast-cnn",
        encoder_channels=(3, 5, 7),
        width=6,
        heads=2,
        n_blocks=1,
        skip="gated",
        direct_path=True,
    ),
    "additive images": ContextKernelConfig(
        image_size=17,
        encoder="paper-cnn",
        encoder_channels=(3, 5),
        width=6,
        heads=2,
        n_blocks=1,
        compatibility="additive",
    ),
    "siamese pairs without context": ContextKernelConfig(
        n_features=2, width=6, heads=2, n_blocks=0, compatibility="siamese", similarity_projections=False
    ),
}


def with_settled_batch_norm(network: ContextKernelNetwork) -> ContextKernelNetwork:
    """Running means and gates that are not those of a network never trained."""
    generator = torch.Generator().manual_seed(7)
    for name, tensor in network.state_dict().items():
        if name.endswith(("running_mean", "gate.weight", "gate.bias", "last.weight", "last.bias")):
            tensor.uniform_(-0.3, 0.3, generator=generator)
        if name.endswith("running_var"):
            tensor.uniform_(0.5, 2.0, generator=generator)
    return network.eval()


@pytest.mark.parametrize("name", NETWORKS)
def test_graph_and_network_agree_for_any_number_of_items(name: str, tmp_path: Path) -> None:
    network = with_settled_batch_norm(ContextKernelNetwork(NETWORKS[name], {"calibration": {}, "seed": 7}))
    if name.startswith("siamese"):
        network.double()  # the graph is of floats, whatever the network is
    export_onnx(network, tmp_path / "mine.onnx")

    differences = compare_with_onnx(network, tmp_path / "mine.onnx")

    assert [each.n_items for each in differences] == [1, 7, 100, 1000] == list(CHECKED_SIZES)
    assert max(each.largest_difference for each in differences) < TOLERANCE
    assert read_onnx_header(tmp_path / "mine.onnx")["config"] == to_dict(NETWORKS[name])


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[ContextKernelNetwork, Path]:
    torch.manual_seed(11)
    metadata = {"calibration": {"log-odds": []}, "framing": {"image_size": 28, "ink_size": 20}}
    network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=6, heads=2, n_blocks=1), metadata)
    network.train()
    path = tmp_path_factory.mktemp("onnx") / "mine.onnx"
    export_onnx(network, path)
    return network, path


def test_any_number_of_sets_goes_in_and_padding_changes_nothing(
    exported: tuple[ContextKernelNetwork, Path],
) -> None:
    network, path = exported
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    items = np.random.default_rng(3).normal(size=(5, 13, 2)).astype(np.float32)
    lengths = np.array([13, 1, 7, 11, 2])
    mask = np.arange(13) < lengths[:, None]
    items[~mask] = np.nan  # padding may hold anything

    logits, kernel = session.run(None, {"items": items, "mask": mask})

    assert logits.shape == kernel.shape == (5, 13, 13)
    for row, length in enumerate(lengths):
        alone = network.kernel(items[row, :length])
        assert np.allclose(kernel[row, :length, :length], alone, atol=1e-5)
        assert np.allclose(1 / (1 + np.exp(-logits[row, :length, :length])), alone, atol=1e-5)


def test_the_header_travels_in_the_metadata(exported: tuple[ContextKernelNetwork, Path]) -> None:
    network, path = exported
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    header = json.loads(session.get_modelmeta().custom_metadata_map[HEADER_KEY])
    assert header["metadata"] == network.metadata
    assert header["config"]["n_features"] == 2
    assert session.get_modelmeta().producer_name == "abclust"


def test_exporting_leaves_the_network_as_it_was(exported: tuple[ContextKernelNetwork, Path]) -> None:
    network, _ = exported
    assert network.training


def test_another_network_is_told_from_the_exported_one(exported: tuple[ContextKernelNetwork, Path]) -> None:
    _, path = exported
    torch.manual_seed(13)
    other = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=6, heads=2, n_blocks=1))
    (difference,) = compare_with_onnx(other, path, sizes=[7])
    assert difference.largest_difference > 10 * TOLERANCE


def test_what_is_no_graph_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.onnx").write_text("nothing")
    with pytest.raises(FileFormatError, match="must be an ONNX graph"):
        read_onnx_header(tmp_path / "notes.onnx")
    with pytest.raises(DataNotFoundError, match="existing file"):
        read_onnx_header(tmp_path / "missing.onnx")


def test_a_foreign_graph_has_no_header(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="needs: pip install 'abclust[export]'")
    helper, number = onnx.helper, onnx.TensorProto.FLOAT
    value = [helper.make_tensor_value_info(name, number, [1]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "foreign", value[:1], value[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, tmp_path / "foreign.onnx")
    with pytest.raises(FileFormatError, match="without our header"):
        read_onnx_header(tmp_path / "foreign.onnx")
