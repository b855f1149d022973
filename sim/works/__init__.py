"""The reference works of ``xymac bench``."""
