"""Python's semantics in compiled rules: where Numba would compute something else, rules compute what Python does.

Numba differs from Python and NumPy in edge cases: a shift by 64 or more, a small integer from an array,
`math.sqrt(-1)`, a local variable that was never assigned. In users' rules each operator and some functions are replaced
by our own twins. Once types are known, a twin becomes one of four things:

- the plain operator again, with the same machine code as before: nearly always;
- our own code, which gives what Python gives or raises where Python raises;
- a refusal, if the types alone show that compiled and interpreted rules could differ: the rules then run interpreted;
- in checked mode, code that also raises if a result does not fit its bits or an index is out of range.

`before_typing` is the pass before types are known, `after_typing` the pass after, in which each twin becomes one of the
four: `plan_choice` chooses one, by the types of the arguments. What may be left to Numba is in `left_to_numba`.
"""
