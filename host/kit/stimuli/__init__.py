"""Cases that nobody wrote: drawn so that every edge comes, within what a device takes."""
