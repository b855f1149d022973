# SPDX-License-Identifier: Apache-2.0
"""Strips of an image as other strips, or as pixels."""
