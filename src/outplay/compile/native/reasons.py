"""Why a line of rules does not compile, in the words of Python: what is wrong, and what to write instead.

`reason` reads the message of the compiler and the line. `REASONS` is the table of messages; `remedies` has what to
write instead of what a message names.
"""

import builtins
import linecache
import re
from collections.abc import Callable
from typing import NamedTuple

from outplay.compile.native.remedies import CALLS, CONSTANTS, LOOP, METHODS, OPERATIONS, SAME, STATEMENTS, TABLE


class Reason(NamedTuple):
    """Why a line does not compile. `part` is the part of the line that is at fault; "" if that is unknown."""

    what: str
    remedy: str
    part: str = ""


UNKNOWN = "outplay cannot compile this line"
SIMPLER = "write it in several lines, with ints, floats, tuples, lists and NumPy arrays: then see which is told"
ONE_FORM = "write one form: tuples of one length, with None for what is missing"


KINDS = (
    (r"^(u?int\d+|Literal\[int\].*)", "an int"), (r"^float\d+", "a float"), (r"^(bool|Literal\[bool\])", "a bool"),
    (r"^(unicode_type|Literal\[str\]|UnicodeCharSeq|str\b)", "a str"), (r"^(Uni)?Tuple|^Starred", "a tuple"),
    (r"^(reflected )?list|^ListType|^List", "a list"), (r"^(reflected )?set", "a set"), (r"^Dict", "a dict"),
    (r"^(array|Array|readonly array)", "an array"), (r"^range", "a range"), (r"^none|^NoneType", "None"),
    (r"^Optional|^OptionalType", "a value that may be None"), (r"^(Int|)Enum class", "an enum class"),
    (r"^(Int|)Enum", "a member of an enum"), (r"^iter|_iter|generator", "an iterator"), (r"^complex", "a complex"),
    (r"^Function|^type\(|^Dispatcher", "a function"), (r"^int$", "an int"), (r"^float$", "a float"),
)  # fmt: skip


def kind(typ: str) -> str:
    """The compiler's name of a type, in the words of Python.

    >>> kind("UniTuple(int64 x 2)"), kind("reflected list(int64)<iv=None>"), kind("State(int64 x 2)")
    ('a tuple', 'a list', 'a State')
    """
    typ = typ.strip(" '`")
    for pattern, name in KINDS:
        if re.search(pattern, typ):
            return name
    match = re.match(r"(?:<class ')?([A-Za-z_][\w.]*)", typ)
    return f"a {match[1].rpartition('.')[2]}" if match else "another value"


def reason(text: str, source: str = "") -> Reason:
    """Why a line does not compile; `text` is the compiler's message, `source` the line."""
    text = re.sub(r"\x1b\[\d+m", "", text)
    line = telling(text)
    for pattern, explain in REASONS:
        match = re.search(pattern, line) or re.search(pattern, text)
        if match:
            reason = explain(match, text, source)
            if reason is not None and not FORBIDDEN.search(reason.what + reason.remedy):
                return reason
    return _whole_line(source)


FORBIDDEN = re.compile(
    r"numba|\btyping\b|reflected|untyped|imprecise|\$\w|int64 x|UniTuple|unicode_type|closure|opcode|undecided|nopython"
    r"|\blowering\b|Literal\[|dispatcher|<locals>|0x[0-9a-f]{4}|NotNative|<class '",
    re.IGNORECASE,
)
"""The words of the compiler, which no reader has to know."""


def telling(text: str) -> str:
    """The most informative line of a message: the last that names something unknown or unsupported."""
    lines = [line.strip(" >-") for line in text.splitlines()]
    telling_lines = [line for line in lines if TELLING.search(line) and "Enable logging" not in line]
    return telling_lines[-1] if telling_lines else next((line for line in lines[1:] if line), text)


TELLING = re.compile(
    r"Untyped global|Unknown attribute|No implementation|Cannot unify|not supported|unsupported|"
    r"Cannot determine|Undecided type|NotNative|use of unsupported|Invalid use|No definition|cannot|"
    r"Cannot infer|imprecise|too large|Cannot capture|Exception matching|runaway|is not defined",
    re.IGNORECASE,
)

Explain = Callable[[re.Match[str], str, str], Reason | None]


# -- reasons of outplay itself ----------------------------------------------------------------------------------------

OWN: tuple[tuple[str, str | dict[str, str]], ...] = (
    (r"is an? ([\w ]+), which is not a constant", CONSTANTS),
    (r"is an? (float|bool) here, but an int", "write int(…), // instead of /, or start with a {0}"),
    (r"is an int here, but a (float|bool)", "write {0}(…), or start with an int"),
    (r"a tuple of \d+ (here, but|in one place and) a tuple", "keep a list, which may grow, or a tuple of one length"),
    (r"is None here, but", 'write another value of that type in place of None, such as -1, "" or (-1, -1)'),
    (r"or None here, but", "test it first: if it is not None, or assert that it is not None"),
    (r"here, but|in one place and", "give it one type everywhere, or an attribute of its own for each"),
    (r"is a (list|dict|set|frozenset)\b", CONSTANTS),
    (r"array of", "write array.astype(dtype) with the type that it has in the initial state"),
    (r"more than 63 bits", "use numpy.uint64 or two ints"),
    (r"is not a method", "write it as a method of the class, with def"),
    (r"class method", "write an ordinary method, with self"),
    (r"cannot be hashed", "return ints, strings and tuples of them"),
    (r"with its own (__\w+__)|(__getattribute__)", "write a method in place of {0}"),
    (r"is a defaultdict|is an? (OrderedDict|Counter)|kind of dict", "write a dict"),
    (r"is a deque|kind of list", "write a list"),
    (r"attribute called", "give it a name that Python allows"),
    (r"^(the state|\w+[.\[]\S*) is an? ", "write a tuple of ints, or a NumPy array of numbers"),
)
"""The remedy for what a sentence says, the first that fits; `{0}` is the group, which may also choose from a table."""


def _own(match: re.Match[str], text: str, source: str) -> Reason | None:
    """What outplay itself refuses; it says what to write, or `OWN` does."""
    message = re.sub(r"\[[0-9a-f]{16}[^]]*\]", "", match[1]).strip()
    message = re.sub(r"\ban? (ABCMeta|type|EnumType|EnumMeta)\b", "a class", message)
    message = re.sub(r"(Int)?Enum<\w+>\((\w+)\)", r"a \2", message)
    written = re.search(rf"[:;] ((?:{VERBS})\b.*)", message)
    if written:
        what = message[: written.start()]
        return Reason(what, written[1].rstrip("."), _named(what))
    for pattern, remedy in OWN:
        if fitting := re.search(pattern, message):
            groups = [group for group in fitting.groups() if group]
            advice = remedy if isinstance(remedy, str) else remedy.get(groups[0], "keep numbers and tuples")
            return Reason(message, advice.format(*groups), _named(message))
    return Reason(message, SIMPLER, _named(message))


VERBS = (
    "write|use|give|name|call|return|make|put|take|set|keep|read|define|test|convert|assign|compare|change|combine|let"
)
"""The words with which a remedy starts."""


def _named(message: str) -> str:
    """The part of a line that a sentence names."""
    match = re.search(r"self\.\w+|\b_?\w+\(\)", message)
    return match[0].removesuffix("()") if match else ""


# -- messages of the compiler -----------------------------------------------------------------------------------------


def _generator(match: re.Match[str], text: str, source: str) -> Reason:
    call = re.search(r"\b(any|all|tuple|next|sum|min|max|list|set|sorted|frozenset|dict|sum)\(", source)
    name = call[1] if call else ""
    expression = f"{name}(… for …)" if name else "an expression (… for …)"
    brackets = "write it with square brackets, as a list: [… for …]"
    remedy = CALLS[name] if name in ("any", "all", "tuple", "next", "set", "frozenset") else brackets
    return Reason(f"{expression} cannot be compiled", remedy, name)


def _global(match: re.Match[str], text: str, source: str) -> Reason:
    name, typ = match[1], match[2].rpartition(".")[2]
    if hasattr(builtins, name):
        return _call(name)
    if typ in ("dict", "mappingproxy", "list", "set", "frozenset"):
        what = f"{name} is a {typ} of the module, which rules cannot read when they are compiled"
        return Reason(what, TABLE if typ not in ("set", "frozenset") else f"write a tuple: {name} = tuple(…)", name)
    if typ == "range":
        return Reason(f"{name} is a range of the module", f"write {name} = tuple(range(…)), or the range itself", name)
    if name in CALLS:
        return _call(name)
    if typ in ("_lru_cache_wrapper", "cached_property"):
        what = f"{name}() keeps its results (@cache), which compiled rules cannot read"
        return Reason(what, f"take @cache away from {name}, or write a table in __init__: a tuple", name)
    if typ in ("type", "ABCMeta", "EnumType", "EnumMeta"):
        what = f"{name} is a class whose objects and members cannot be used in compiled rules"
        return Reason(what, "write a named tuple (class …(NamedTuple)), or names in the module or in the game", name)
    if "function" in typ:
        return Reason(f"{name}() cannot be compiled", "write it in Python, or as a loop", name)
    what = f"{name} is a {typ} of the module, which rules cannot read when they are compiled"
    return Reason(what, "write numbers, tuples or functions of the module instead", name)


def _call(name: str) -> Reason:
    return Reason(f"{name}() cannot be compiled here", CALLS.get(name, LOOP), name)


def _attribute(match: re.Match[str], text: str, source: str) -> Reason:
    name, typ = match[1], match[2].strip()
    module = re.match(r"Module\(<module '([\w.]+)'|module ([\w.]+)", typ)
    if module:
        full = f"{module[1] or module[2]}.{name}"
        return Reason(f"{full} cannot be compiled", CALLS.get(name, f"{LOOP} that computes it"), name)
    if re.search(r"\[[0-9a-f]{16}[^]]*\]", typ):
        what = f"the game has no attribute {name}"
        return Reason(what, f"set self.{name} in __init__, or correct the spelling", f"self.{name}")
    if name == "add" and "{" in source and " for " in source:
        return Reason("{… for …} cannot be compiled", CALLS["set"], "")
    owner = kind(typ)
    is_made = owner.rpartition(" ")[2] not in {name.rpartition(" ")[2] for _, name in KINDS}
    remedy = "write it as a function of the module, or a method of the game; or correct the spelling"
    if not is_made:
        remedy = "write a loop or an operator that computes it"
    return Reason(f"{owner} has no {name} that compiles", METHODS.get(name, remedy), name)


def _no_implementation(match: re.Match[str], text: str, source: str) -> Reason | None:
    name = re.sub(r"^.*\.", "", re.split(r" at 0x|>", match[1])[0].strip(" <>'")).split(" ")[-1].strip("'")
    signatures = re.findall(rf"^\W*{re.escape(name)}\((.*)\)\s*$", text, re.MULTILINE)
    kinds = " and ".join(kind(typ) for typ in top_level(signatures[-1])) if signatures else ""
    if name in ("iadd", "add") and kinds == "a list and a list":
        return Reason("items of several kinds meet in one list", SAME)
    if name in OPERATIONS:
        what, remedy = OPERATIONS[name]
        if name == "setitem" and kinds.startswith("a list"):
            what = f"an item of a list is {kinds.rpartition(' and ')[2]} here, but of another kind in other places"
            return Reason(what, "give all items one type: [0], 0 or a string in place of None")
        if name == "getitem" and kinds:
            first = kinds.split(" and ")[0]
            if first == "a tuple" and re.search(r"\[[^\]]*:", source):
                what = "a slice of a tuple, whose length depends on a variable, cannot be compiled"
                return Reason(what, "keep a list or a NumPy array: slices of them compile")
            if first == "a tuple":
                what = "the items of this tuple differ in type or length, so a variable cannot be the index"
                return Reason(what, f"{SAME}, or if and elif")
            return Reason(f"{first} cannot be indexed like this", "write a list or a tuple, and one int as index")
        return Reason(what, remedy)
    of = f" of {kinds}" if kinds else ""
    if name in ("int", "float", "str") and "of an enum" in kinds:
        return Reason(f"{name}(){of} cannot be compiled", "write its value: Color.RED.value", name)
    if name == "twin" or not name.isidentifier():
        return Reason(
            f"the operator{of} cannot be compiled", "write it with numbers: convert with int(), or write a loop"
        )
    plain = re.sub(r"^(impl|set|dict|list|unicode|str|array|ol|generic|iterable)_|_vararg$", "", name)
    if plain in CALLS and hasattr(builtins, plain):
        return Reason(f"{plain}(){of} cannot be compiled", CALLS[plain], plain)
    remedy = METHODS.get(plain) or CALLS.get(plain) or f"{LOOP}, or pass numbers and tuples"
    return Reason(f"{plain}(){of} cannot be compiled", remedy, plain)


def top_level(text: str) -> list[str]:
    """The parts of `text` between commas that are outside brackets.

    >>> top_level("Tuple(int64, int64), {1: 2, 3: 4}, int64")
    ['Tuple(int64, int64)', ' {1: 2, 3: 4}', ' int64']
    """
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([{<") - (char in ")]}>")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if not re.match(r"\s*\w+=", part)] if text else []


def _unify(match: re.Match[str], text: str, source: str) -> Reason:
    one, other, name = kind(match[1]), kind(match[2]), match[3]
    name = name.partition(".")[0] if not name.startswith("$") else "a value"
    if one == other == "a tuple":
        return Reason(f"{name} is a tuple of different lengths or types", "write a list, or tuples of one length", name)
    both = f"{one} in one place and {other} in another" if one != other else f"{one} of different kinds"
    remedy = "give it one type: another name for one of the two, or a conversion with int() or float()"
    return Reason(f"{name} is {both}", remedy, name)


def _returns(match: re.Match[str], text: str, source: str) -> Reason:
    kinds = sorted({kind(typ) for typ in top_level(match[1])})
    what = "the function returns values of several types"
    what += f": {' and '.join(kinds)}" if len(kinds) > 1 else ""
    return Reason(what, "return one type everywhere: convert with int() or float(), or write tuples of one length")


def _yields(match: re.Match[str], text: str, source: str) -> Reason:
    """A generator whose `yield`s differ in type; `text` names the type and the line of each."""
    lines = {
        sized(typ): line for typ, line in re.findall(r"type '(.+)', location: \nFile \"[^\"]+\", line (\d+)", text)
    }
    yields = " and ".join(f"{kind} in line {line}" for kind, line in lines.items())
    return Reason(f"the function yields {yields}", ONE_FORM, "yield")


def _appends(match: re.Match[str], text: str, source: str) -> Reason:
    one, other = sized(match[1]), sized(match[2])
    if source.lstrip().startswith("yield"):
        file, line = re.findall(r'File "([^"]+)", line (\d+)', text)[0]
        before = _yield_above(file, int(line))
        return Reason(f"the function yields {one}{before} and {other} in line {line}", ONE_FORM, "yield")
    return Reason(f"an item of a list is {other} here, but {one} in other places", SAME)


def _yield_above(file: str, line: int) -> str:
    """The words for the last `yield` above a line."""
    above = (number for number in range(line - 1, 0, -1) if re.match(r"\s*yield\b", linecache.getline(file, number)))
    number = next(above, None)
    return f" in line {number}" if number else ""


def sized(typ: str) -> str:
    """The compiler's name of a type, in the words of Python; of a tuple, with its length."""
    name, uniform = kind(typ), re.fullmatch(r"UniTuple\(.* x (\d+)\)", typ)
    return f"a tuple of {uniform[1] if uniform else len(top_level(typ[6:-1]))}" if name == "a tuple" else name


def _unknown_items(match: re.Match[str], text: str, source: str) -> Reason:
    container = "dict" if "Dict" in text or "{}" in source else "set" if "set(" in source else "list"
    what = f"nothing shows of what type the items of this empty {container} are"
    remedies = {
        "list": "write the type of its items: found: list[tuple[int, int]] = []",
        "dict": "write the types of its items: found: dict[int, int] = {}",
        "set": "write the type of its items: found: set[int] = set()",
    }
    return Reason(what, remedies[container], "[]" if container == "list" else "")


def _undecided(match: re.Match[str], text: str, source: str) -> Reason:
    if ":=" in source:
        return Reason("the assignment := cannot be compiled here", "write it as a line of its own: name = …", ":=")
    if re.search(r"\{\}|\.setdefault|dict\(", source):
        return Reason(
            "this use of a dict cannot be compiled",
            "write the types of its items: found: dict[int, list[int]] = {}; or keep a list that is indexed by ints",
        )
    if "[]" in source:
        return _unknown_items(match, text, source)
    if re.search(r"\{[^:}]+,[^:}]+\}", source):
        return Reason("the items of this set are of several types, or of one that is not known", "write ints alone")
    return Reason(
        "the type of a value in this line is not known here", "write int(…), float(…) or a tuple, in lines of its own"
    )


def _iteration(match: re.Match[str], text: str, source: str) -> Reason:
    owner = kind(match[1])
    if owner == "a tuple":
        what = "the items of this tuple differ in type or length, so that no loop over them compiles"
        return Reason(what, f"{SAME}, or write one loop for each")
    if "num class" in match[1]:
        name = re.search(r"\((\w+)\)", match[1])
        what = f"a loop over the members of {name[1] if name else 'an enum'} cannot be compiled"
        return Reason(what, "write a tuple of the members in the module: ALL = tuple(…)", name[1] if name else "")
    return Reason(f"a loop over {owner} cannot be compiled", "write a loop over range, a tuple, a list or an array")


def _invalid_call(match: re.Match[str], text: str, source: str) -> Reason:
    callee, kinds = match[1], " and ".join(map(kind, top_level(match[2])))
    enum = re.search(r"num class.*\((\w+)\)", callee)
    if enum:
        what = f"{enum[1]}(…) of a number cannot be compiled"
        return Reason(what, f"write the member: {enum[1]}.NAME, with if and elif; or keep the number", enum[1])
    match_of_name = re.search(r"function (\w+)|'?(\w+)'?>?\)?$", callee)
    name = (match_of_name[1] or match_of_name[2]) if match_of_name else ""
    return Reason(f"{name or 'this call'} of {kinds or 'nothing'} cannot be compiled", CALLS.get(name, SIMPLER), name)


def _statement(match: re.Match[str], text: str, source: str) -> Reason:
    for part, (what, remedy) in STATEMENTS.items():
        if part in match[1]:
            return Reason(what, remedy)
    return _whole_line(source)


def _whole_line(source: str) -> Reason:
    if re.match(r"\s*del\b", source):
        return Reason("del cannot be compiled", OPERATIONS["delitem"][1], "del")
    calls = re.findall(r"(?<![\w.])(\w+)\(", source)
    for name in calls:
        if name in CALLS and name in ("enumerate", "zip", "reduce", "sorted", "map", "filter", "dict", "set"):
            return _call(name)
    return Reason(UNKNOWN, SIMPLER)


def says(what: str, remedy: str, part: str = "") -> Explain:
    """An explanation of which the texts are known; `{0}` and `{1}` in them are the groups of the message."""

    def explain(match: re.Match[str], text: str, source: str) -> Reason:
        names = [group.rpartition(".")[2] for group in match.groups() if group]
        return Reason(what.format(*names), remedy.format(*names), part.format(*names))

    return explain


REASONS: tuple[tuple[str, Explain], ...] = (
    (r"NotNative: (.*)", _own),
    (r"use of yield in a closure", _generator),
    (r"resolve_getattr", says("getattr() of a computed name", "write the attribute: state.name", "getattr")),
    (r"Cannot capture .* variable '(\w+)'",
     says("the inner function (a lambda, or a def) reads {0}, a variable of the rule around it",
          "write a method that takes {0} as an argument, or a loop", "lambda")),
    (r"use of a (?:reflected )?(\w+)\(.*assigned to variable '(\w+)'",
     says("{1} is a {0} of the module, which rules cannot read when they are compiled",
          "write a tuple: {1} = tuple(…), with tuples inside", "{1}")),
    (r"Untyped global name '([\w.]+)': [Cc]annot determine Numba type of <class '([\w.]+)", _global),
    (r"[Cc]annot determine Numba type of <class '([\w.]+)",
     says("a {0} cannot be used in compiled rules", "write numbers, tuples or functions of the module instead")),
    (r"Variable '_outplay_\w+' is not defined",
     says("a variable of an expression (… for …) is read before it is assigned", LOOP)),
    (r"[Nn]ame '(\w+)' is not defined|NameError: name '(\w+)'",
     says("the name {0} is not defined", "define {0} in the module, or correct its spelling", "{0}")),
    (r"No definition for lowering .*\.(\w+) = ",
     says("self.{0} is assigned to, but a game must not change", "put {0} into the state", "self.{0}")),
    (r"Unknown attribute '(\w+)' of type (.*)", _attribute),
    (r"[Uu]nsupported opcode \((\w+)\)", _statement),
    (r"Unsupported use of cell variable|op_LOAD_CLOSURE|[Uu]nsupported use of closure|MAKE_FUNCTION",
     says("an inner function, or a comprehension, shares a variable that changes with the rule around it",
          "write a method or a loop")),
    (r"[Ee]xception matching is limited|does not support .* (return|break|continue).* in.* try"
     r"|[Uu]nsupported.*(with|try)\b.*block", says(*STATEMENTS["RERAISE"])),
    (r"'view' can only be called on",
     says("a method with the name view cannot be compiled", "give it another name, such as view_of")),
    (r"f-strings? ", says(*STATEMENTS["FORMAT"])),
    (r"context manager", says(*STATEMENTS["WITH"])),
    (r"Cannot unify (.*) and (.*) for '([^']+)'", _unify),
    (r"Can't unify return type from the following types: (.*)", _returns),
    (r"Can't unify yield type", _yields),
    (r"BoundFunction\(list.append for list\((.*)\)<iv=None>\) with parameters \((.*)\)", _appends),
    (r"Invalid use of getiter with parameters \((.*)\)", _iteration),
    (r"Invalid use of (.*) with parameters \((.*)\)", _invalid_call),
    (r"[Ii]nt(?:eger)? value is too large|too large to fit|[Oo]verflowError",
     says("an int of this line does not fit into 64 bits", "write smaller numbers, or two ints")),
    (r"runaway recursion|[Tt]ype-inferred.*recursion|recursive",
     says("the type of the result of a function that calls itself is not known",
            "write if …: return 0 first, in lines of its own, with a value of the type that the function returns")),
    (r"re-entrant",
     says("functions that call each other in a circle cannot be compiled", "write one function, or a loop")),
    (r"(?:tuple|list) index out of range",
     says("the tuple of this line has no item with that index", "write an index below len() of the tuple")),
    (r"isinstance", lambda match, text, source: _call("isinstance")),
    (r"non-precise type|imprecise type|undefined", _unknown_items),
    (r"No implementation of function Function\((.*)\) found", _no_implementation),
    (r"Undecided type|Type of variable|Cannot infer|Cannot resolve", _undecided),
    (r"(?:missing a required|too many positional|unexpected keyword|multiple values for) arg\w*",
     says("a call has other arguments than the function that it calls", "write each argument of the function")),
)  # fmt: skip
"""Messages of the compiler and their explanations, the first that fits; an explanation may be None."""
