# SPDX-License-Identifier: Apache-2.0
"""The golden machine: passes in numpy. It knows no kernels."""
