"""`match` with patterns of tuples: conditions that choose a case."""

import ast

from outplay.compile.rewriting.iterables import sequence_length
from outplay.compile.rewriting.scope import assign, equals, load
from outplay.compile.rewriting.shared_rewriting import Work


def matched(work: Work, node: ast.Match) -> list[ast.stmt]:
    """`match` with patterns of tuples as conditions; one case is chosen first, then its statements run."""
    if not any(isinstance(part, ast.MatchSequence) for case in node.cases for part in ast.walk(case.pattern)):
        work.generic_visit(node)
        return [node]
    subject, chosen = work.scope.variable("subject"), work.scope.variable("case")
    start = [assign(subject, node.subject), assign(chosen, ast.Constant(-1))]
    choices: list[ast.stmt] = []
    rest: list[ast.stmt] = []
    for number, case in enumerate(node.cases):
        tests = [equals(chosen, -1)]
        names: list[tuple[str, ast.expr]] = []
        length = len(node.subject.elts) if isinstance(node.subject, ast.Tuple) else None
        if not _pattern(work, case.pattern, load(subject), tests, names, length):
            work.generic_visit(node)
            return [node]
        inside = [assign(name, value) for name, value in names]
        choice = [assign(chosen, ast.Constant(number))]
        inside += [ast.If(case.guard, choice, [])] if case.guard else choice
        for test in reversed(tests):
            inside = [ast.If(test, inside, [])]
        choices += inside
    for number, case in reversed(list(enumerate(node.cases))):
        rest = [ast.If(equals(chosen, number), case.body, rest)]
    return work.instead([*start, *choices, *rest], node)


def _pattern(
    work: Work,
    pattern: ast.pattern,
    value: ast.expr,
    tests: list[ast.expr],
    names: list[tuple[str, ast.expr]],
    length: int | None = None,
) -> bool:
    """Add the tests and the assignments of a pattern; whether all of it is known."""
    match pattern:
        case ast.MatchValue(wanted):
            tests.append(ast.Compare(value, [ast.Eq()], [wanted]))
        case ast.MatchSingleton(wanted):
            tests.append(ast.Compare(value, [ast.Is()], [ast.Constant(wanted)]))
        case ast.MatchAs(None, None):
            pass
        case ast.MatchAs(inner, str(name)):
            names.append((name, value))
            return inner is None or _pattern(work, inner, value, tests, names, length)
        case ast.MatchOr(patterns):
            options: list[ast.expr] = []
            for part in patterns:
                own: list[ast.expr] = []
                if not isinstance(part, ast.MatchValue | ast.MatchSingleton):
                    return False
                _pattern(work, part, value, own, names)
                options += own
            tests.append(ast.BoolOp(ast.Or(), options))
        case ast.MatchSequence(patterns):
            if any(isinstance(part, ast.MatchStar) for part in patterns):
                return False
            if length is None:
                size = work.call(sequence_length, value)
                tests.append(ast.Compare(size, [ast.Eq()], [ast.Constant(len(patterns))]))
            elif length != len(patterns):
                tests.append(ast.Constant(False))
                return True
            return all(
                _pattern(work, part, ast.Subscript(value, ast.Constant(place), ast.Load()), tests, names)
                for place, part in enumerate(patterns)
            )
        case _:
            return False
    return True
