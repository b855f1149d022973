# SPDX-License-Identifier: Apache-2.0
"""The functions of MLI 1.0 and 1.1 by their documented names."""
