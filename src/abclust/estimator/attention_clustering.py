"""AttentionClustering: a pretrained network behind scikit-learn's contract."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Int
from matplotlib.figure import Figure
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from abclust.clustering.default_method import DEFAULT_METHOD
from abclust.datasets.labelled_set import LabelledSet, UnlabelledSet
from abclust.estimator.clustered_set import SetFailure
from abclust.estimator.fitted_items import FittedItems
from abclust.estimator.item_kinds import kind_of
from abclust.estimator.item_preparation import allows_nan, read_items
from abclust.estimator.large_items import cluster_large_items
from abclust.estimator.network_source import AUTO, peek_header, resolve_network
from abclust.estimator.parameter_checks import check_parameters, goes_local
from abclust.figures.fitted_figures import draw_fitted_set
from abclust.foundations.errors import InvalidInputError


class AttentionClustering(FittedItems):
    """Cluster a set by a network that has learnt, from other sets, what belongs together.

    Parameters
    ----------
    model : str, path or ContextKernelNetwork, default="auto"
        The name of shipped weights (``abclust models`` lists them), the path of a file that ``network.save``
        wrote, or a network. ``"auto"``: ``omniglot`` for images, ``vectors`` for tables.
    n_clusters : int, (min, max) or None, default=None
        None finds the number of clusters.
    method : str or scikit-learn clusterer, default="auto"
        What turns the kernel into clusters; see :func:`abclust.cluster_kernel`. ``"auto"``: what the weights
        name as best on the sets held out of their training, else ``"expected-rand"``.
    scale : {"auto", "full", "local"}, default="auto"
        ``"full"`` computes the kernel of all pairs; ``"local"`` runs the network on overlapping local sets
        and clusters one sparse graph, in time and memory linear in n; ``"auto"`` is full up to 20,000 items
        and local above.
    device : str, default="cpu"
        Where the network runs, as torch names devices.
    random_state : int, RandomState or None, default=None
        For the samples of the number of clusters and for methods that draw; labels by the default do not
        depend on it.

    Attributes
    ----------
    labels_ : integer array of shape (n,)
        The cluster of each item, numbered by first appearance.
    n_clusters_ : int
    confidence_ : array of shape (n,)
        In [0, 1]: how clearly each item belongs to its cluster rather than to the next-best one.
    kernel_ : array of shape (n, n)
        Calibrated probabilities that two items belong together. Not there after local sets.
    graph_ : sparse array of shape (n, n) or None
        After local sets: mean calibrated log-odds of the pairs that were seen; None where a sample showed all
        clusters.
    partition_ : Partition
        Labels, confidence, merge tree and samples of the number of clusters.
    network_ : ContextKernelNetwork
    n_features_in_, feature_names_in_ : int, array of str
        Of a table; not there for images.

    See Also
    --------
    abclust.cluster_kernel : Clusters of a kernel of your own.
    abclust.train : Learn from your own labelled sets.

    References
    ----------
    Coward, Visse-Martindale, Ramesh: Attention-Based Clustering: Learning a Kernel from Context.
    arXiv:2010.01040.

    Examples
    --------
    >>> from abclust.datasets import circles
    >>> (points,) = circles(n_points=60, seed=4)
    >>> clusterer = AttentionClustering("circles").fit(points.items)
    >>> clusterer.n_clusters_, clusterer.labels_.shape
    (4, (60,))
    """

    def __init__(
        self,
        model: Any = AUTO,
        *,
        n_clusters: Any = None,
        method: Any = DEFAULT_METHOD,
        scale: Any = "auto",
        device: Any = "cpu",
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.n_clusters = n_clusters
        self.method = method
        self.scale = scale
        self.device = device
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None
    ) -> "AttentionClustering":
        """Cluster the items of one set.

        Parameters
        ----------
        X : table (n, d) or n images
            Array, data frame, nested lists; images as arrays (n, H, W) or (n, H, W, 3), PIL images or paths.
        y : ignored
            There for scikit-learn's sake.
        must_link, cannot_link : pairs of item numbers, optional
            Items that belong together, or do not; with the default method, ``size-prior``,
            ``expected-rand``, ``log-odds`` and ``agglomerative``.

        Returns
        -------
        AttentionClustering
            Itself.

        Raises
        ------
        InvalidInputError
            If a parameter, `X` or a constraint cannot be; the message says what the weights expect.
        """
        check_parameters(self.get_params(deep=False))
        kind = kind_of(X)
        network, reference = resolve_network(self.model, kind)
        items = read_items(network, X)
        clusterer = self._clusterer(network, self.random_state)
        links = {"must_link": must_link, "cannot_link": cannot_link}
        if goes_local(len(items), self.scale):
            large = cluster_large_items(clusterer, items, **links)
            self._hold(clusterer.network, reference)
            self._note_features(X, items, reset=True)
            self._store_large(items, large)
            return self
        found = clusterer.cluster_items(items, **links)
        self._hold(clusterer.network, reference)
        self._note_features(X, items, reset=True)
        question = {
            "n_clusters": self.n_clusters,
            "method": clusterer.method,
            "random_state": clusterer.seed,
            "one_cluster_odds": clusterer.one_cluster_odds(found.prepared),
        }
        self._store(items, found.kernel, found.partition, question | links)
        return self

    def fit_many(
        self, sets: Iterable[Any], constraints: Sequence[Any] | None = None
    ) -> list[Int[np.ndarray, " _"]]:
        """Cluster many sets, each on its own, in batches; what `fit` has learnt is not touched.

        Parameters
        ----------
        sets : iterable of sets
            Each as `fit` takes it, or a LabelledSet or UnlabelledSet of :mod:`abclust.datasets`.
        constraints : sequence, optional
            For each set None, a pair (must_link, cannot_link), or a mapping with these names.

        Returns
        -------
        list of integer arrays
            The labels of each set.

        Raises
        ------
        InvalidInputError
            If a set cannot be clustered; the message says which. To go on with the others, take
            :meth:`abclust.estimator.set_clusterer.SetClusterer.cluster_many`.
        """
        check_parameters(self.get_params(deep=False))
        sets = list(sets)
        if not sets:
            return []
        first = sets[0].items if isinstance(sets[0], LabelledSet | UnlabelledSet) else sets[0]
        network, _ = resolve_network(self.model, kind_of(first))
        labels = []
        for each in self._clusterer(network, self.random_state).label_many(sets, constraints):
            if isinstance(each, SetFailure):
                name = f" ({each.name})" if each.name else ""
                raise InvalidInputError(f"set {each.index}{name}: {each.error}") from each.error
            labels.append(each)
        return labels

    def plot(self, title: str = "") -> Figure:
        """Draw the kernel ordered by cluster, the merge tree beside it, and the choice of k.

        Returns
        -------
        matplotlib Figure
            Not attached to pyplot; a notebook shows it, ``savefig`` writes it.
        """
        check_is_fitted(self)
        self._check_all_pairs("plot")
        tree = self.partition_.merge_tree
        return draw_fitted_set(
            self.kernel_,
            self.labels_,
            tree.linkage,
            tree.mean_log_odds,
            self.partition_.n_clusters_samples,
            title=title,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        header = vars(self)["_network"].metadata if "_network" in vars(self) else peek_header(self.model)
        tags.input_tags.allow_nan = allows_nan(header)
        tags.input_tags.three_d_array = True
        assert tags.transformer_tags is not None
        tags.transformer_tags.preserves_dtype = []
        return tags
