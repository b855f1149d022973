# SPDX-License-Identifier: Apache-2.0
"""Elements as a host has them on the bus, and as passes take them."""
