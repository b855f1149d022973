"""Inputs of the commands that run networks."""

from host.network.images import load_images
from host.network.samples import random_images

__all__ = ["SEED", "read_inputs"]

SEED = 1  #: Of the random input that stands in for missing ones.


def read_inputs(path, network, limit):
    """At most ``limit`` of the Images in ``path``, or a random one without a path."""
    images = load_images(path, network) if path else random_images(network, SEED)
    return images.first(limit)
