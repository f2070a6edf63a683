"""Protocols of other programs, such as GTP."""
