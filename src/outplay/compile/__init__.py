"""Kernels: one source that runs interpreted or as native code, and the cache of compiled code."""
