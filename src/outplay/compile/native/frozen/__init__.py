"""Constants of any kind in compiled rules: lists, dicts, sets, ragged tuples, strings and enumerations.

A constant that a rule reads becomes read-only data in the machine code. Its Numba type says what its items are, and
its value says where they lie; so constants with equal kinds of items have one type, and may be nested in any way.
"""
