"""What a fitted estimator does with items: remember those it was fitted to, and place new ones among them."""

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from abclust.clustering.backends import cluster_kernel, partition_kernel
from abclust.clustering.partition import Partition
from abclust.estimator.held_network import HeldNetwork
from abclust.estimator.item_kinds import as_table, kind_of
from abclust.estimator.item_preparation import allows_nan, prepare_set, read_items
from abclust.estimator.large_items import place_in_large_set
from abclust.estimator.new_items import METHOD, JointSet, find_twins, memberships
from abclust.estimator.parameter_checks import check_parameters, check_size
from abclust.estimator.set_clusterer import SetClusterer
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.scale.large_set import LargeSetPartition


class FittedItems(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, HeldNetwork):
    """The half of :class:`abclust.AttentionClustering` that comes after `fit`: predict, extend, transform."""

    n_clusters: Any
    method: Any
    scale: Any
    random_state: Any

    def predict(self, X: Any) -> Int[np.ndarray, " m"]:
        """Clusters of new items: those of the fitted set, or new ones; old ids stay what they are.

        The network sees the fitted items and the new ones together, and the best partition is sought among
        those that keep the fitted clusters as they are. Ids from ``n_clusters_`` on are clusters that new
        items opened, numbered by first appearance in `X`; they hold for this call alone (:meth:`extend` keeps
        them). An item that equals a fitted one, number for number, is that item and gets its label. With a
        fixed ``n_clusters`` no cluster is opened.

        Parameters
        ----------
        X : m items
            In the form that `fit` took.

        Notes
        -----
        After a fit by local sets a new item is seen in a local set of its own, or beside the sample that the
        set was seen through.
        """
        check_is_fitted(self)
        if not hasattr(self, "kernel_"):
            new = self._read_new(X, needs_all_pairs=False)
            return place_in_large_set(self._clusterer(), self._items, self.labels_, new, self._sample)
        new = self._read_new(X)
        twins = find_twins(self._items, new)
        labels, fresh = self.labels_[twins], np.flatnonzero(twins < 0)
        if len(fresh):
            joint = JointSet.of(self._clusterer(), self._items, self.labels_, new[fresh])
            labels[fresh] = np.asarray(cluster_kernel(joint.kernel, **joint.question()))[len(self._items) :]
        return labels

    def extend(self, X: Any) -> "FittedItems":
        """Take new items into the fitted set: as :meth:`predict`, and remember them.

        ``labels_`` and all else then describe the old items followed by `X`; old labels are unchanged, and
        new clusters keep their ids from now on.

        Parameters
        ----------
        X : m items
            In the form that `fit` took.
        """
        new = self._read_new(X)
        clusterer = self._clusterer()
        joint = JointSet.of(clusterer, self._items, self.labels_, new)
        partition = partition_kernel(joint.kernel, **joint.question(), n_samples=0)
        assert isinstance(partition, Partition)
        is_same = clusterer.method == METHOD
        (kernel,) = [joint.kernel] if is_same else clusterer.kernels([joint.prepared])
        items = np.concatenate([self._items, new.astype(self._items.dtype)])
        self._store(items, kernel, partition, {**self._question, **joint.question()})
        return self

    def transform(self, X: Any) -> Float[np.ndarray, "m k"]:
        """How strongly items are drawn to each fitted cluster, in [0, 1].

        The sigmoid of the mean calibrated log-odds between an item and the cluster's items, itself left out.

        Parameters
        ----------
        X : m items
            Fitted or new ones, in the form that `fit` took; the network sees new ones together with the
            fitted set.
        """
        new = self._read_new(X)
        twins = find_twins(self._items, new)
        rows, fresh = self.kernel_[twins], np.flatnonzero(twins < 0)
        if len(fresh):
            clusterer = self._clusterer()
            joint = np.concatenate([self._items, new[fresh].astype(self._items.dtype)])
            (kernel,) = clusterer.kernels([prepare_set(clusterer.network, joint)])
            rows[fresh] = kernel[len(self._items) :, : len(self._items)]
        return memberships(rows, self.labels_, twins)

    @property
    def partition_(self) -> Partition:
        """Labels, confidence, merge tree, and samples of the number of clusters for up to 500 items.

        The samples take far longer than the clustering, so they are drawn when this is first asked for.
        """
        check_is_fitted(self)
        self._check_all_pairs("partition_")
        if not self._is_sampled:
            sampled = partition_kernel(self.kernel_, **self._question)
            assert isinstance(sampled, Partition)
            self._partition = replace(self._partition, n_clusters_samples=sampled.n_clusters_samples)
            self._is_sampled = True
        return self._partition

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    def _clusterer(
        self, network: ContextKernelNetwork | None = None, random_state: Seed = None
    ) -> SetClusterer:
        return SetClusterer(
            network or self.network_,
            n_clusters=self.n_clusters,
            method=self.method,
            random_state=random_state,
            device=self.device,
            n_samples=0,
        )

    def _store(
        self,
        items: Float[np.ndarray, "n ..."],
        kernel: Float[np.ndarray, "n n"],
        partition: Partition,
        question: dict[str, Any],
    ) -> None:
        """What `fit` has learnt; `question` are the arguments of ``partition_kernel`` that gave it."""
        vars(self).pop("graph_", None)
        self._items = items.copy()  # a caller may go on to write into the array
        self._question = question
        self._partition = partition
        self._is_sampled = False
        self.kernel_ = kernel
        self.labels_ = partition.labels
        self.n_clusters_ = partition.n_clusters
        self.confidence_ = partition.confidence

    def _store_large(self, items: Float[np.ndarray, "n ..."], found: LargeSetPartition) -> None:
        """What `fit` has learnt by local sets: no matrix of all pairs, and nothing that rests on one."""
        for name in ("kernel_", "_partition", "_question"):
            vars(self).pop(name, None)
        self._sample = found.sample
        self._items = items  # may be a memory map larger than memory: not copied
        self.graph_ = found.graph
        self.labels_ = found.labels
        self.n_clusters_ = found.n_clusters
        self.confidence_ = found.confidence

    def _check_all_pairs(self, what: str) -> None:
        if not hasattr(self, "kernel_"):
            raise InvalidInputError(
                f"{what} must follow a fit with all pairs. Got one by local sets (scale='local', or a large "
                "set). Fit old and new items together, or fit a sample of at most 20,000 with scale='full' "
                "and let predict place the rest in parts."
            )

    def _read_new(self, X: Any, *, needs_all_pairs: bool = True) -> Float[np.ndarray, "m ..."]:
        check_is_fitted(self)
        if needs_all_pairs:
            self._check_all_pairs("placing items")
        check_parameters(self.get_params(deep=False))
        if kind_of(X) == "table":
            self._note_features(X, as_table(X, allow_nan=allows_nan(self.network_.metadata)), reset=False)
        new = read_items(self.network_, X)
        if needs_all_pairs:
            check_size(len(self._items) + len(new), self.scale)
        return new

    def _note_features(self, X: Any, items: Float[np.ndarray, "n ..."], *, reset: bool) -> None:
        """Number and names of a table's columns, noted by `fit` and compared ever after."""
        if kind_of(X) == "table":
            named = X if hasattr(X, "columns") else items
            validate_data(self, named, reset=reset, skip_check_array=True)  # type: ignore[arg-type]
        else:
            vars(self).pop("n_features_in_", None)
            vars(self).pop("feature_names_in_", None)
