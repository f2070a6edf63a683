"""Players that are other programs, by the protocols that such programs speak."""
