"""Kernels: one source that runs interpreted or as native code, and the compiled code that is kept."""
