"""The core: sequencers, AGU, memories, array, output stages, reduction, write-back."""
