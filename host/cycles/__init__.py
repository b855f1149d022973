# SPDX-License-Identifier: Apache-2.0
"""Cycle costs of programs, and their lower bounds."""
