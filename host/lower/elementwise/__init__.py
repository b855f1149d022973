# SPDX-License-Identifier: Apache-2.0
"""An element in, an element out."""
