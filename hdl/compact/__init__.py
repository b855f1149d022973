# SPDX-License-Identifier: Apache-2.0
"""The compact core: a microprogram runs the same passes on a small datapath."""
