# SPDX-License-Identifier: Apache-2.0
"""User devices: their capabilities, and the calls to them."""
