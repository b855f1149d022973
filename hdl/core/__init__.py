"""The core: sequencer, walker, AGUs, memories, array, output stage, write-back."""
