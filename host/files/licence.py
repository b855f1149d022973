# SPDX-License-Identifier: Apache-2.0
"""The exported files' licence line."""

__all__ = ["LICENCE"]

#: First line of an exported file, behind the comment sign.
LICENCE = "SPDX-License-Identifier: Apache-2.0"
