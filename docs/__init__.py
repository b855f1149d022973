# SPDX-License-Identifier: Apache-2.0
"""The documents, and ``tables``, the code behind their tables."""
