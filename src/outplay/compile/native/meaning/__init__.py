"""The meaning of Python in compiled rules: where Numba computes something else, what Python says is done instead.

Numba's numbers differ from Python's and NumPy's at the edges: a shift by 64 or more, a small integer out of an array,
`math.sqrt(-1)`, a local that was never assigned. In users' rules each operator and some functions are replaced by
twins of our own. Once types are known, a twin is one of four things:

- the plain operator again, so that the machine code is what it was: nearly always;
- code of our own, which gives what Python gives or raises where Python raises;
- refused, if the two speeds could differ and the types alone show it: the rules then run interpreted;
- in checked mode, code that also raises where a result does not fit its bits and where an index lies outside.

    twins        the pass before types are known
    settle       the pass after: each twin becomes one of the four
    choice       which one, by the types of the arguments
    plans        what code of our own looks like
    integers, floats, comparisons, bit_boards, checks    that code
    large_ints   what is refused since it does not fit 64 bits with a sign
    narrow       in checked mode: which variables may hold cells of fewer than 64 bits
"""
