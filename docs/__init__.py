# SPDX-License-Identifier: Apache-2.0
"""The documents, and in ``tables`` what writes the tables in them."""
