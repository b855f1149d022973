"""What came of the cases that a device was asked for, for people and machines."""
