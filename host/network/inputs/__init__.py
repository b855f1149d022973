# SPDX-License-Identifier: Apache-2.0
"""Inputs of a network: arrays, image files and random ones."""
