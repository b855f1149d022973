"""The host link: bytes of a UART as frames, frames as requests."""
