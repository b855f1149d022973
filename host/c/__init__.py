# SPDX-License-Identifier: Apache-2.0
"""The core in C: a driver, and networks for it."""
