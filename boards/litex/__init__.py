# SPDX-License-Identifier: Apache-2.0
"""The core in systems of LiteX: a module for designs of others, and complete systems of boards."""
