"""``xymac explore``: which sizes of the core fit a device, and what each does with networks."""
