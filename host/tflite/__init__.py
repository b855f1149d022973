# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite files: read, checked and written."""
