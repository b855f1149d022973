# SPDX-License-Identifier: Apache-2.0
"""Programs as flash images, in the format of LiteX's ``crcfbigen --fbi --little``."""

import struct
from zlib import crc32

from xymac.host.errors import InputError

__all__ = ["FLASH_SIZE", "PROGRAM_OFFSET", "check_image", "flash_image"]

FLASH_SIZE     = 16 << 20  #: Bytes of a system's flash.
PROGRAM_OFFSET = 4 << 20   #: Byte address of an image in the flash. A bitstream, below, takes at
                           #: most 2.7 MB, for an ECP5 of 85k LUTs.
_HEADER        = struct.Struct("<II")  # byte count, CRC-32 of the program


def flash_image(program):
    """A program's image, bytes; InputError if the flash is too small."""
    image = _HEADER.pack(len(program), crc32(program)) + program
    _check_size(image)
    return image


def check_image(data, name):
    """Raise InputError unless bytes are a flash image; ``name`` is the file's in the sentence."""
    _check_size(data)
    program = data[_HEADER.size:]
    if not program or _HEADER.unpack_from(data) != (len(program), crc32(program)):
        raise InputError(f"{name} is not a flash image: its header must be the byte count and the "
                         f"CRC-32 of the {len(program):,} bytes behind it")


def _check_size(image):
    room = FLASH_SIZE - PROGRAM_OFFSET
    if len(image) > room:
        raise InputError(f"The flash image takes {len(image):,} bytes, the flash has {room:,} "
                         f"behind the bitstream")
