# SPDX-License-Identifier: Apache-2.0
"""The system on a chip of boards/soc: built and simulated, and a model of its master."""
