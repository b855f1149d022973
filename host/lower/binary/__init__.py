# SPDX-License-Identifier: Apache-2.0
"""Two tensors combined element by element."""
