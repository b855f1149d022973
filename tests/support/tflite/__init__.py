# SPDX-License-Identifier: Apache-2.0
"""Files of TensorFlow Lite for tests, and what computes them."""
