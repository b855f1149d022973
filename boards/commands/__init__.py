"""Commands that need no simulation."""
