# SPDX-License-Identifier: Apache-2.0
"""Cell input frames: consecutive, a frame per step."""

import numpy as np

from xymac.host.lower.orders import refuse_layout

__all__ = ["frame_places", "refuse_frames"]


def frame_places(source, count):
    """Index into the frame per element of its vectors, -1 for padding.

    None unless the ``count`` frames at the TensorLayout ``source`` are consecutive and alike.
    """
    if source.groups % count == 0:
        places = source.places().reshape(count, -1)
        size   = places.max() // count + 1
        starts = np.arange(count)[:, None] * size
        if np.array_equal(places, np.where(places[0] < 0, -1, places[0] + starts)):
            return places[0]
    return None


def refuse_frames(source, count):
    """Refusal unless ``count`` frames at ``source`` are consecutive and alike."""
    if frame_places(source, count) is not None:
        return None
    return refuse_layout(f"The layer takes {count} steps one after the other, its input of shape "
                         f"{source.shape} lies in the order {source.order}, {source.inner} of them "
                         f"together")
