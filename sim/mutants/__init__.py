# SPDX-License-Identifier: Apache-2.0
"""Mutants: small changes to the sources, each of which a test of the repository must notice."""
