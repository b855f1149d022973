# SPDX-License-Identifier: Apache-2.0
"""User networks: the network, its file, its inputs."""
