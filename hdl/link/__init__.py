"""Host link: UART bytes form frames, and frames carry requests."""
