# SPDX-License-Identifier: Apache-2.0
"""Elements put into any order, each output a copy of a single element."""
