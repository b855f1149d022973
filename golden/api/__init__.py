# SPDX-License-Identifier: Apache-2.0
"""The functions of the libraries by their documented C names."""
