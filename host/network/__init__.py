"""User networks: the network, its file, its inputs."""
