"""The core: sequencer, walker, AGUs, memories, array, output stage, reduction, write-back."""
