# SPDX-License-Identifier: Apache-2.0
"""What benches drive blocks with."""
