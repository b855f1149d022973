# SPDX-License-Identifier: Apache-2.0
"""Places of the largest elements."""
