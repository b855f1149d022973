# SPDX-License-Identifier: Apache-2.0
"""A whole board in simulation."""
