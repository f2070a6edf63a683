"""Numba's private names: everything undocumented that outplay uses of Numba is in this folder.

A new version of Numba may rename or remove any of these names. There are two kinds:

- **Needed**: without one of them, rules cannot be compiled with Python's meaning, and importing this folder fails. Then
  every game runs interpreted.
- **For speed**: without one of them, the technique that uses it is off. See `losses`.
"""
