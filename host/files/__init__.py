# SPDX-License-Identifier: Apache-2.0
"""Files as they are written: whole or not at all. Reading, arrays and text are modules here."""

from .whole import check_writable, fill_folder, hold_lock, make_folder, write_file, write_whole

__all__ = ["check_writable", "fill_folder", "hold_lock", "make_folder", "write_file", "write_whole"]
