# SPDX-License-Identifier: Apache-2.0
"""Generated tables of the documents."""
