# SPDX-License-Identifier: Apache-2.0
"""Non-linear element-wise operators, and softmax."""
