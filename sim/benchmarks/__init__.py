# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of ``xymac bench``."""
