# SPDX-License-Identifier: Apache-2.0
"""The tables of the documents, each made by the code that knows what it says."""
