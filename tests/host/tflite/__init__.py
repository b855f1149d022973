# SPDX-License-Identifier: Apache-2.0
"""Tests of xymac.host.tflite."""
