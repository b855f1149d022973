# SPDX-License-Identifier: Apache-2.0
"""``xymac explore``: core sizes that fit a device, and their speed on networks."""
