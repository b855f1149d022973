# SPDX-License-Identifier: Apache-2.0
"""An ELF file's content as memory words."""

import struct

__all__ = ["read_words"]

_HEADER, _SEGMENT = struct.Struct("<16sHHIIIIIHHHHHH"), struct.Struct("<8I")
_MAGIC = b"\x7fELF\x01\x01"  # 32 bits, little-endian
_LOAD  = 1                   # a segment that the file fills


def read_words(data, base):
    """An ELF file's 32-bit words from address ``base`` to its last loaded byte, and its size in
    bytes with the variables behind them.

    Parameters
    ----------
    data : bytes, a 32-bit ELF file, little-endian
    base : int, byte address

    Gaps are zeros. ValueError for another file, or for content below ``base``.
    """
    if not data.startswith(_MAGIC):
        raise ValueError("The program must be an ELF file of 32 bits, little-endian")
    header = _HEADER.unpack_from(data)
    start, size, count = header[5], header[9], header[10]
    memory, taken = bytearray(), 0
    for number in range(count):
        kind, offset, _, place, length, room, *_ = _SEGMENT.unpack_from(
            data, start + number * size)
        if kind != _LOAD or not room:
            continue
        if place < base:
            raise ValueError(f"The program must lie from {base:#x} on, not at {place:#x}")
        end = place - base + length
        taken = max(taken, place - base + room)
        if not length:
            continue
        memory.extend(bytes(max(0, end - len(memory))))
        memory[place - base:end] = data[offset:offset + length]
    memory.extend(bytes(-len(memory) % 4))
    return list(struct.unpack(f"<{len(memory) // 4}I", memory)), taken
