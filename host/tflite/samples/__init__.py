# SPDX-License-Identifier: Apache-2.0
"""Small single-operator sample networks, built to a Wish."""
