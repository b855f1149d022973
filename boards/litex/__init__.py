# SPDX-License-Identifier: Apache-2.0
"""The core in LiteX systems: a module for other designs, and complete board systems."""
