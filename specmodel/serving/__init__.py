"""Many requests at once: what a pass costs by batch and context, and where batching eats the gain of speculation."""

from specmodel.serving.by_batch import best_k

__all__ = ["best_k"]
