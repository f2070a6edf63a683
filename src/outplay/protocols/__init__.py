"""Protocols of other programs: GTP."""
