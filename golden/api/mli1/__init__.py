# SPDX-License-Identifier: Apache-2.0
"""MLI 1.0 and 1.1 functions by their documented names."""
