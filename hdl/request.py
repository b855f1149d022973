# SPDX-License-Identifier: Apache-2.0
"""Request and response between a front end and a core."""

from amaranth import unsigned
from amaranth.lib import data

__all__ = ["Request", "Response"]

#: ``address`` in bytes, a multiple of 4; ``mask`` holds a write's byte strobes.
Request = data.StructLayout({"write": 1, "address": unsigned(22), "data": 32, "mask": 4})
#: ``error``: the address is empty, or does not allow this access.
Response = data.StructLayout({"data": 32, "error": 1})
