# SPDX-License-Identifier: Apache-2.0
"""Commands without a simulation."""
