"""Core: sequencers, AGU, memories, MAC array, output stages, reduction and write-back."""
