# SPDX-License-Identifier: Apache-2.0
"""Integer operations between libraries and passes."""
