"""Rewriting of rules before they are compiled: what Numba does not know becomes plain loops that mean the same.

`function.rewritten` works on the syntax tree of each function of the rules. Interpreted rules run as they are written.
Each module imports only from those above it:

    source      from a function to its syntax tree, and back
    scope       the names in a function, and what they stand for
    callables   calls of functions that are given as arguments
    walrus      assignments in expressions
    work        what all rewritings share
    output      what is printed and logged
    texts       values in texts
    lazy        iterators as generator expressions
    iterables   functions of itertools as functions that list
    listed      which of them a call becomes
    dicts       new dicts from others
    records     changed records, and their fields by name
    arrays      functions of arrays with an axis
    fields      `State(**fields)`
    consumers   functions that read an iterator
    nested      functions within a function that yield or call themselves
    patterns    `match` with patterns of tuples
    statements  loops, `yield from`, unpacking, empty lists
    literals    lists that nobody changes
    containers  local variables that hold a deque, a defaultdict or a Counter
    ordered     sets that are read in their order
    filling     lists that are filled in a loop
    remaking    new objects whose attributes are assigned at once
    narrowing   variables that are not None any more
    faults      which error a step of a `try` would raise
    attempts    `try` and `except` with errors by name
    rewriter    what each node of the syntax tree becomes
    function    the rewritten form of a function
"""
