# SPDX-License-Identifier: Apache-2.0
"""Files of TensorFlow Lite: read, checked and written."""
