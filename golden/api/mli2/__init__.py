# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 functions by their documented names."""
