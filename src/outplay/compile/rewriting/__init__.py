"""Rewriting of rules before they are compiled: what Numba does not know becomes plain loops that mean the same.

`function.rewritten` works on the syntax tree of each function of the rules. Interpreted rules run as they are written.
Reading order: `source` (from a function to its syntax tree, and back), `scope` (the names in a function),
`shared_rewriting`, `rewriter` (what each node of the tree becomes); the others rewrite one construct of Python each.
"""
