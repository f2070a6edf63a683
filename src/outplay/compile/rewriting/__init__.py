"""Rewriting of rules before they are compiled: what Numba does not know becomes plain loops that mean the same.

`rewritten` works on the syntax tree of each function of the rules. Interpreted rules run as they are written.

    source      from a function to its syntax tree, and back
    scope       the names in a function, and what they stand for
    callables   calls of functions that are given as arguments
    lazy        iterators as generator expressions
    iterables   functions of itertools as functions that list
    consumers   functions that read an iterator
    statements  loops, conditions, patterns
    rewriter    the pass over the syntax tree
"""
