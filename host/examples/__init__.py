# SPDX-License-Identifier: Apache-2.0
"""Example networks, and the scripts that made them."""
