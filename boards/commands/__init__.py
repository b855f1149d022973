# SPDX-License-Identifier: Apache-2.0
"""Commands that need no simulation."""
