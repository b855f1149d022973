# SPDX-License-Identifier: Apache-2.0
"""Network inputs: arrays, image files and random ones."""
