"""What a front end asks a core, and what the core answers."""

from amaranth import unsigned
from amaranth.lib import data

__all__ = ["Request", "Response"]

#: ``address`` in bytes, a multiple of 4; ``mask`` are byte strobes of a write.
Request = data.StructLayout({"write": 1, "address": unsigned(22), "data": 32, "mask": 4})
#: ``error``: nothing there, or not to be read or written so.
Response = data.StructLayout({"data": 32, "error": 1})
