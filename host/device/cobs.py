# SPDX-License-Identifier: Apache-2.0
"""Bytes without zeros: Consistent Overhead Byte Stuffing."""

from __future__ import annotations

__all__ = ["decode", "encode"]

_FULL = 0xFF  #: Code of a block without a following zero.


def encode(data: bytes) -> bytes:
    """Return ``data`` (bytes) without a zero, longer by 1 byte and 1 for every 254 begun."""
    encoded = bytearray()
    blocks  = data.split(b"\0")
    for number, block in enumerate(blocks, 1):
        while len(block) >= _FULL - 1:
            encoded.append(_FULL)
            encoded += block[:_FULL - 1]
            block = block[_FULL - 1:]
            if not block and number == len(blocks):
                return bytes(encoded)
        encoded.append(len(block) + 1)
        encoded += block
    return bytes(encoded)


def decode(encoded: bytes) -> bytes | None:
    """Inverse of ``encode``; None if the data end within a block. ``encoded`` must contain no zero.
    """
    data, at = bytearray(), 0
    while at < len(encoded):
        code = encoded[at]
        data += encoded[at + 1:at + code]
        at   += code
        if code < _FULL and at < len(encoded):
            data.append(0)
    return bytes(data) if at == len(encoded) else None
