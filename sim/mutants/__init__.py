# SPDX-License-Identifier: Apache-2.0
"""Mutants: small source changes, each of which a repository test must notice."""
