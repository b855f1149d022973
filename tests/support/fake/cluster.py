# SPDX-License-Identifier: Apache-2.0
"""A cluster of Dask that never begins."""

__all__ = ["Refusing"]


class Refusing:
    """Refuses its arguments, as a cluster does that lacks a queue."""

    def __init__(self, *args, **kwargs):
        raise ValueError("there is no queue")
