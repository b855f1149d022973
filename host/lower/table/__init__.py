# SPDX-License-Identifier: Apache-2.0
"""Look-ups in tables."""
