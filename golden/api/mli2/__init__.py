# SPDX-License-Identifier: Apache-2.0
"""The functions of MLI 2.0 by their documented names."""
