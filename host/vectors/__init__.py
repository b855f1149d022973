# SPDX-License-Identifier: Apache-2.0
"""Reference vectors of the libraries."""
