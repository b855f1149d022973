"""Devices of users: what they can do, and how they are asked."""
