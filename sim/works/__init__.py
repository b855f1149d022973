# SPDX-License-Identifier: Apache-2.0
"""The reference works of ``xymac bench``."""
