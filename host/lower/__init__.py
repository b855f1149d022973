# SPDX-License-Identifier: Apache-2.0
"""Layers as passes: a folder a family, in each the form that no library knows."""
