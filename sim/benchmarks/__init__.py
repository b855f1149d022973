# SPDX-License-Identifier: Apache-2.0
"""The ``xymac bench`` benchmarks."""
