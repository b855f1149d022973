# SPDX-License-Identifier: Apache-2.0
"""Small sample networks with one operator, built to a Wish."""
