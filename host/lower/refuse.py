"""The refusal that lowerings share."""

__all__ = ["NoPassesError"]


class NoPassesError(ValueError):
    """A layer, or a kind of layers, that only the golden model computes."""
