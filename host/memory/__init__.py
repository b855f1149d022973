# SPDX-License-Identifier: Apache-2.0
"""Memory layouts of tensors."""
