# SPDX-License-Identifier: Apache-2.0
"""All that keeps the project right, in pieces for as many computers as there are."""
