"""Python's meaning in compiled rules: where Numba would compute something else, rules compute what Python does.

Numba differs from Python and NumPy in edge cases: a shift by 64 or more, a small integer from an array,
`math.sqrt(-1)`, a local variable that was never assigned. In users' rules each operator and some functions are replaced
by our own twins. Once types are known, a twin becomes one of four things:

- the plain operator again, with the same machine code as before: nearly always;
- our own code, which gives what Python gives or raises where Python raises;
- a refusal, if the types alone show that compiled and interpreted rules could differ: the rules then run interpreted;
- in checked mode, code that also raises if a result does not fit its bits or an index is out of range.

    twins        the pass before types are known
    numpy_calls  calls of NumPy as people write them
    empty        what empty containers would hold, while types are found
    settle       the pass after: each twin becomes one of the four
    choice       chooses one, by the types of the arguments
    plans        the form of our own code
    integers, floats, comparisons, bit_boards, checks    that code
    allowed      what may be left to Numba; everything else is refused
    same         comparisons of values in which two NaN, or None, may meet
    large_ints   refusals of ints that do not fit 64 bits with a sign
    narrow       in checked mode: which variables may hold cells of fewer than 64 bits
"""
