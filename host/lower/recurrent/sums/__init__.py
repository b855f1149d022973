# SPDX-License-Identifier: Apache-2.0
"""Product sums of recurrent kernels, one implementation per format."""
