"""What people are told: why rules do not compile, what was wrong with an argument or an action, which search suits."""

import json
import re
import warnings

import pytest
from programs.constructs import CONSTRUCTS
from programs.try_constructs import load
from typer.testing import CliRunner

import outplay
from outplay import (
    ISMCTS,
    MCTS,
    PIMC,
    AlphaBeta,
    Backtracking,
    BestReply,
    Book,
    Expectiminimax,
    Game,
    Limit,
    MaxN,
    Minimax,
    MTDf,
    Paranoid,
    ProofNumber,
    RulesError,
    ValueIteration,
    WrongType,
    check_game,
    compile_report,
    count_tree,
    determinizations,
    legal_actions,
    new_random,
    perft,
    positions,
    random_action,
)
from outplay.backtracking.problems import Queens
from outplay.cli.commands import app
from outplay.compile.kernels import runs_compiled
from outplay.compile.native import RunsInterpretedWarning, obstacles
from outplay.compile.native.reasons import FORBIDDEN, UNKNOWN, reason
from outplay.equilibrium import CFR, MCCFR, SequenceForm, TreelessMCCFR, exploitability, unroll, values
from outplay.games import KuhnPoker, Nim, TicTacToe
from outplay.rules.numbered import ARE_ACTIONS
from outplay.session import Session
from outplay.session.survey import suited_to

REMEDY = re.compile(r"^(write|use|give|keep|put|take|set|test|define|return|start|count|name|call|make|read|call)\b")
PILE = """
import json
import re
from fractions import Fraction
from outplay import Game

WORTH = re.compile("[12]")


def worth(taken):
    return len(WORTH.findall("12" * taken))


class Pile(Game):
    def initial_state(self):
        return (5, 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return [taken for taken in (1, 2) if Fraction(taken) <= state[0]]

    def length(self, number):
        return len(json.dumps(number))

    def result(self, state, action):
        if worth(action) > 9:
            return state
        return (state[0] - action, (state[1] + self.length(action)) % 2)

    def is_terminal(self, state):
        return state[0] == 0 or worth(1) > 9

    def utility(self, state, player):
        return 1 if player == state[1] else -1


class Fine(Pile):
    def actions(self, state):
        return [taken for taken in (1, 2) if taken <= state[0]]

    def result(self, state, action):
        return (state[0] - action, 1 - state[1])

    def is_terminal(self, state):
        return state[0] == 0


class Never(Fine):
    compiled = False


class Both(Fine):
    def actions(self, state):
        return ["one", 2]

    def result(self, state, action):
        return (state[0] - 1, 1 - state[1])


class Shapes(Both):
    def actions(self, state):
        return [("move", 1), ("wall", 1, 2)]


class Wide(Both):
    def actions(self, state):
        return [(1, 2), (1 << 40, 1 << 30)]


class Many(Both):
    def actions(self, state):
        return [tuple(range(13))]


class Parts(Both):
    def actions(self, state):
        return [(1, Fraction(1, 2))]
"""


NAMES = ("Pile", "Fine", "Never", "Both", "Shapes", "Wide", "Many", "Parts")


@pytest.fixture(scope="module")
def piles(tmp_path_factory):
    path = tmp_path_factory.mktemp("piles") / "told_piles.py"
    path.write_text(PILE, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield path, {name: outplay.load_game(f"{path}:{name}") for name in NAMES}


# -- all that keeps a game from compiling -----------------------------------------------------------------------------


def test_every_obstacle_is_named_once_at_its_own_line(piles):
    path, games = piles
    found = obstacles(games["Pile"])
    assert [(each.function, each.rules) for each in found] == [
        ("worth", ("result", "is_terminal")),
        ("Pile.actions", ("actions",)),
        ("Pile.length", ("result",)),  # the compiler does not get that far in result
    ]
    lines = path.read_text().splitlines()
    for each in found:
        assert each.filename == str(path)
        assert lines[each.line - 1].strip() == each.source
        assert each.part in each.source
        assert REMEDY.match(each.remedy)
        assert not FORBIDDEN.search(each.what + each.remedy)
        assert each.details
    assert str(found[0]) == (
        f"{found[0].place}: worth (result, is_terminal wait for it)\n"
        '    return len(WORTH.findall("12" * taken))\n'
        "               ^^^^^\n"
        "  WORTH is a Pattern of the module, which rules cannot read when they are compiled\n"
        "  write numbers, tuples or functions of the module instead"
    )


@pytest.mark.compiled
def test_asking_for_obstacles_changes_nothing(piles):
    _, games = piles
    game = type(games["Pile"])()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert obstacles(game) == obstacles(game)
    assert obstacles(games["Fine"]) == ()
    assert runs_compiled(games["Fine"])


@pytest.mark.compiled
def test_the_warning_is_short_and_has_no_word_of_the_compiler(piles):
    path, _ = piles
    own = type("Own", (load_class(path, "Pile"),), {"__module__": __name__})
    with pytest.warns(RunsInterpretedWarning) as told:
        AlphaBeta(own()).search(limit=Limit(depth=2))
    text = str(told[0].message)
    assert text.count("\n") == 1
    assert text.startswith("Own runs interpreted, since actions() does not compile: Fraction")
    assert text.endswith("; outplay check --compile GAME shows all, compiled = False silences this")
    assert not FORBIDDEN.search(text)


def load_class(path, name):
    return type(outplay.load_game(f"{path}:{name}"))


@pytest.mark.nightly
def test_reports_say_what_was_measured(piles):
    _, games = piles
    fine, pile = compile_report(games["Fine"]), compile_report(games["Pile"])
    assert fine.ok
    assert fine.compiled > fine.interpreted > 0
    assert re.search(r"Fine\(\): the rules compile\nRandom games, measured here: .* times as fast", str(fine))
    assert not pile.ok
    assert len(pile.obstacles) == 3
    assert pile.compiled == 0
    assert set(pile.shares) == {"is_terminal", "to_move", "actions", "result"}
    assert 0 < sum(pile.shares.values()) < 1
    text = str(pile)
    assert "Pile() runs interpreted: 3 lines do not compile" in text
    assert not FORBIDDEN.search(text)
    assert "    | " not in text
    assert any("    | " in line for line in pile.lines(details=True))
    assert not runs_compiled(games["Pile"]) or obstacles(games["Pile"])


@pytest.mark.nightly
@pytest.mark.compiled
def test_reports_say_why_a_game_without_obstacles_is_interpreted(piles):
    _, games = piles
    for name, why in (
        ("Never", "Never says compiled = False"),
        ("Both", "the actions 'one' and 2 are of several kinds: make all actions of one kind"),
        ("Shapes", "the actions ('move', 1) and ('wall', 1, 2) are of several kinds"),
        ("Wide", "the number of the action (1099511627776, 1073741824) takes more than 62 bits: use smaller ints"),
        ("Many", "11, 12) has more than 12 parts: use its place in a list of all actions"),
        ("Parts", "the action (1, Fraction(1, 2)) has other parts than ints"),
    ):
        report = compile_report(games[name])
        assert not report.ok
        assert why in str(report)


@pytest.mark.compiled
def test_the_command_lists_all_and_its_exit_code_tells(piles):
    path, _ = piles
    run = CliRunner()
    found = run.invoke(app, ["check", "--compile", f"{path}:Pile", "--json"])
    data = json.loads(found.stdout)
    assert found.exit_code == 1
    assert not data["ok"]
    assert [each["function"] for each in data["obstacles"]] == ["worth", "Pile.actions", "Pile.length"]
    assert "    | " not in found.stdout
    assert "outplay check --compile my_game.py" in run.invoke(app, ["check", "--help"]).stdout


@pytest.mark.nightly
def test_the_command_measures_what_compiles(piles):
    path, _ = piles
    fine = CliRunner().invoke(app, ["check", "--compile", f"{path}:Fine"])
    assert fine.exit_code == 0
    assert "times as fast" in fine.stdout
    told = CliRunner().invoke(app, ["--debug", "check", "--compile", f"{path}:Pile"])
    assert "    | " in told.stdout


@pytest.mark.compiled
def test_a_problem_has_a_report_too():
    assert compile_report(Queens(5)).ok


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "text"),
    [pytest.param(name, text, id=name) for entries in CONSTRUCTS.values() for name, text in entries.items()],
)
def test_each_construct_that_is_refused_is_told_in_the_words_of_python(name, text, tmp_path):
    game = load(name, text, tmp_path)()
    for obstacle in obstacles(game):
        assert obstacle.filename.startswith(str(tmp_path)), obstacle
        with open(obstacle.filename, encoding="utf-8") as file:
            assert file.read().splitlines()[obstacle.line - 1].strip() == obstacle.source
        assert REMEDY.match(obstacle.remedy), obstacle
        assert not FORBIDDEN.search(obstacle.what + obstacle.remedy), obstacle
        assert len(str(obstacle).splitlines()) >= 4


MESSAGES = {
    "The use of yield in a closure is unsupported.": ("any(x for x in y)", r"any\(… for …\)", "loop"),
    "Untyped global name 'WORTH': Cannot determine Numba type of <class 'dict'>": (
        "WORTH[1]",
        "WORTH is a dict",
        "tuple",
    ),
    "Untyped global name 'reversed': Cannot determine Numba type of <class 'type'>": (
        "reversed(x)",
        "reversed",
        "range",
    ),
    "Untyped global name 'deque': Cannot determine Numba type of <class 'type'>": ("deque()", "deque", "list"),
    "Untyped global name 'Point': Cannot determine Numba type of <class 'type'>": ("Point(1)", "class", "NamedTuple"),
    "Untyped global name 'f': Cannot determine Numba type of <class 'functools._lru_cache_wrapper'>": (
        "f(1)",
        "@cache",
        "take",
    ),
    "NameError: name 'nowhere' is not defined": ("nowhere", "nowhere is not defined", "define nowhere"),
    "Use of unsupported opcode (UNPACK_EX) found": ("a, *b = c", "rest", "items"),
    "Use of unsupported opcode (MATCH_SEQUENCE) found": ("match x:", "match", "elif"),
    "Use of unsupported opcode (FORMAT_SIMPLE) found": ('f"{x}"', "f-string", "str"),
    "Use of unsupported opcode (SOMETHING_NEW) found": ("x = y", UNKNOWN, "lines"),
    "Unknown attribute '_replace' of type State(int64 x 2)": (
        "s._replace(a=1)",
        "State has no _replace",
        "named tuple",
    ),
    "Unknown attribute 'bit_count' of type int64": ("x.bit_count()", "an int has no bit_count", "bits.count"),
    "Unknown attribute 'add' of type list(int64)<iv=None>": ("x.add(1)", "a list has no add", "append"),
    "Unknown attribute 'foo' of type Small[0123456789abcdef]": ("self.foo", "game has no attribute foo", "__init__"),
    "Unknown attribute 'einsum' of type Module(<module 'numpy' from 'x'>)": ("np.einsum()", "numpy.einsum", "loop"),
    "Cannot unify float64 and unicode_type for 'x.2', defined at f.py (3)": ("x", "x is a float in one", "one type"),
    "Cannot unify UniTuple(int64 x 1) and UniTuple(int64 x 2) for '$phi3.1', defined": (
        "",
        "different lengths",
        "list",
    ),
    "Invalid use of getiter with parameters (Tuple(int64, float64))": ("for x in y", "differ in type", "one type"),
    "Undecided type $50load_method.8 := <undecided>": ("x = {}", "dict", "list"),
    "Cannot infer the type of variable '$1', have imprecise type: list(undefined)<iv=None>": (
        "[]",
        "empty list",
        "type of its items",
    ),
    "No definition for lowering Pile[0123456789abcdef].start = int64": ("self.start = 1", "self.start", "state"),
    "Exception matching is limited to <class 'Exception'>": ("except KeyError:", "use of try", "if"),
    "Int value is too large: 99": ("1 << 80", "64 bits", "smaller"),
    "compiler re-entrant to the same function signature": ("", "call each other", "one function"),
    "a message of a version that nobody knows": ("x = y", UNKNOWN, "lines"),
    "": ("del x[0]", "del", "pop"),
    "NotNative: self.heaps is a list, which is not a constant": ("self.heaps[0]", "self.heaps is a list", "tuple"),
    "NotNative: field x of the state is a float here, but an int in the initial state": ("", "a float here", r"int\("),
    "NotNative: ~ of a bool: write `not x`, or ~int(x)": ("~x", "~ of a bool$", "^write `not x`"),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_of_the_compiler_are_told_in_the_words_of_python(message):
    source, what, remedy = MESSAGES[message]
    found = reason(f"Failed in nopython mode pipeline (step: nopython frontend)\n{message}\n\nFile x", source)
    assert re.search(what, found.what), found
    assert re.search(remedy, found.remedy), found
    assert REMEDY.match(found.remedy), found
    assert not FORBIDDEN.search(found.what + found.remedy), found


# -- arguments of the wrong type --------------------------------------------------------------------------------------

SEARCHERS = [
    *(AlphaBeta, MTDf, Minimax, ProofNumber, MCTS, Expectiminimax, MaxN, Paranoid, BestReply, ValueIteration),
    *(ISMCTS, PIMC),
]
CALLS = [
    *SEARCHERS, check_game, compile_report, count_tree, Session, Book, CFR, MCCFR, SequenceForm, unroll,
    TreelessMCCFR, lambda game: positions(game, 2), lambda game: perft(game, 2),
    lambda game: determinizations(game, 0, 1),
    lambda game: Book.load("none", game), lambda game: random_action(game, 0, new_random(1)),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=lambda call: getattr(call, "__name__", ""))
def test_a_class_or_a_name_in_place_of_a_game_is_told(call):
    with pytest.raises(WrongType, match=r"\(.*TicTacToe.*\): a class; did you mean TicTacToe\(\)\?"):
        call(TicTacToe)
    for other in ("connect-four", None, 5):
        with pytest.raises(WrongType, match=r"a Game.* is wanted, not (a str|None|an int); write .*\(.*\(\).*\)"):
            call(other)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_number_in_place_of_a_limit_is_told(searcher):
    searches = searcher(TicTacToe())
    for call in (
        lambda: searches.search(limit=5),
        lambda: searches.analyse(limit=5.0),
        lambda: searches.search_many([], 5),
    ):
        with pytest.raises(WrongType, match=r"a Limit is wanted, not an? \w+; write .*limit=Limit\(seconds=5\)\)"):
            call()
    with pytest.raises(WrongType, match=r"the state comes first, .*write .*search\(limit=Limit\(seconds=5\)\)"):
        searches.search(5)


@pytest.mark.parametrize("method", ["search", "analyse", "search_many"])
@pytest.mark.parametrize("limits", [{"depth": 3}, {"seconds": 1, "nodes": 5}, {"simulations": 10}])
def test_limits_as_keywords(method, limits):
    text = ", ".join(f"{name}={value}" for name, value in limits.items())
    for searcher in (AlphaBeta(TicTacToe()), MCTS(TicTacToe()), Minimax(TicTacToe(), textbook=True)):
        with pytest.raises(WrongType, match=re.escape(f"({text}): limits are given as one Limit; write ")) as told:
            getattr(searcher, method)(**limits)
        assert str(told.value).endswith(f".{method}(limit=Limit({text}))")
    with pytest.raises(WrongType, match=re.escape("write Backtracking(…).first(limit=Limit(")):
        Backtracking(Queens(4)).first(**limits)
    with pytest.raises(WrongType, match=re.escape(f"write AlphaBeta(…).search(limit=Limit({text}))")):
        AlphaBeta(TicTacToe(), **limits)
    with pytest.raises(TypeError, match="unexpected keyword argument 'dept'"):
        AlphaBeta(TicTacToe()).search(dept=3)


def test_other_things_in_place_of_a_strategy_or_a_problem_are_told():
    for call in (values, exploitability):
        with pytest.raises(WrongType, match=r"a Strategy is wanted, not a class; write .*\(Strategy.uniform"):
            call(KuhnPoker)
    with pytest.raises(WrongType, match=r"games are for AlphaBeta"):
        Backtracking(TicTacToe())
    with pytest.raises(WrongType, match=r"a class; did you mean Queens\(\)"):
        Backtracking(Queens)


def test_a_state_that_is_a_number_is_no_mistake():
    assert AlphaBeta(Walk()).search(6, Limit(depth=8)).value == 1


# -- actions and determinize ------------------------------------------------------------------------------------------


class Walk(Game):
    """A puzzle with circles: walk on a line; the right end wins."""

    players = 1

    def initial_state(self):
        return 6

    def to_move(self, state):
        return 0

    def actions(self, state):
        return [0, 1]

    def result(self, state, action):
        return state + (1 if action else -1)

    def is_terminal(self, state):
        return state in (0, 12)

    def utility(self, state, player):
        return 1.0 if state == 12 else -1.0


def acting(actions):
    """A game with these actions by state, of 3 plies."""

    class Acts(Game):
        compiled = False

        def initial_state(self):
            return 3

        def to_move(self, state):
            return state % 2

        def actions(self, state):
            return actions(state)

        def result(self, state, action):
            return state - 1

        def is_terminal(self, state):
            return state <= 0

        def utility(self, state, player):
            return 1.0 if player == 0 else -1.0

    return Acts()


@pytest.mark.parametrize(
    ("actions", "found"),
    [
        (lambda state: [0.5], r"got (\[0.5\]|0.5)"),
        (lambda state: [[1, 2]], r"got \[\[1, 2\]\]; a list cannot be hashed: write a tuple"),
        (lambda state: [{}], r"got \[{}\]"),
        (lambda state: [-1], r"got \[-1\]"),
        (lambda state: [True], r"got \[True\]"),
        (lambda state: [(1, 2)] if state > 1 else [[1]], r"got \[1\]"),
        (lambda state: [1] if state > 1 else [0.5], r"got (\[0.5\]|0.5)"),
        (lambda state: [1] if state > 2 else ["a"], r"got \['a'\], but only ints in the first state: make all"),
    ],
)
def test_actions_of_a_wrong_kind_are_told_in_the_same_sentence_everywhere(actions, found):
    for call in (lambda game: AlphaBeta(game).search(), lambda game: MCTS(game).search(), perft_2, count_tree, unroll):
        with pytest.raises(RulesError, match=f"{re.escape(ARE_ACTIONS)}\n *actions: {found}"):
            call(acting(actions))
    report = check_game(acting(actions), playouts=3)
    assert [failure.law for failure in report.failures] == [ARE_ACTIONS]
    assert re.match(found, report.failures[0].detail)


def perft_2(game):
    return perft(game, 2)


@pytest.mark.parametrize("actions", [["a", "b"], [(0, 1), (1, 0)], [None, 3], [1, "a"], [("a", (1, 2))], [(0.5, 1)]])
def test_allowed_actions_are_allowed_everywhere(actions):
    game = acting(lambda state: actions)
    assert AlphaBeta(game).search().value == -1  # of player 1
    assert check_game(game, playouts=3).ok
    assert set(legal_actions(game, 3)) == set(actions)


def guessing(determine):
    return type("Guesses", (KuhnPoker,), {"determinize": determine, "compiled": False, "__module__": __name__})()


def fails(self, state, player, random):
    return 1 // 0


def nothing(self, state, player, random):
    return None


def another(self, state, player, random):
    return "deal"


def start(self, state, player, random):
    return self.initial_state()


@pytest.mark.parametrize(
    ("determine", "told"),
    [
        (fails, r"determinize raises no error.*ZeroDivisionError.*test_told.py:\d+: return 1 // 0"),
        (nothing, r"determinize returns a value"),
        (
            another,
            r"determinize returns a state that looks the same.*determinize \(.*test_told.py:\d+\) returned 'deal'",
        ),
        (
            start,
            r"determinize returns a state that looks the same.*determinize \(.*test_told.py:\d+\) returned a state",
        ),
    ],
)
def test_errors_in_determinize_name_it_and_its_line(determine, told):
    game = guessing(determine)
    with pytest.raises(RulesError, match=f"(?s){told}"):
        ISMCTS(game).search(game.result(game.initial_state(), 0), Limit(simulations=5))
    text = "\n".join(f"{failure.law} {failure.detail}" for failure in check_game(game, playouts=20).failures)
    assert re.search(f"(?s){told}", text), text


# -- puzzles with circles, and chance at the root ---------------------------------------------------------------------


def test_a_puzzle_may_go_in_circles():
    report = check_game(Walk(), playouts=30)
    assert report.ok
    [note] = [note for note in report.notes if "circles" in note]
    assert "repeated a state" in note
    assert "ValueIteration" in note


class Endless(Walk):
    compiled = False

    def is_terminal(self, state):
        return state == 12

    def result(self, state, action):
        return (state + (1 if action else -1)) % 12


def test_a_puzzle_that_no_random_game_ends_is_told_but_breaks_no_law():
    report = check_game(Endless(), playouts=2, seconds=5)
    assert report.ok
    assert any("no random game reached the end" in note for note in report.notes)


@pytest.mark.nightly
def test_a_puzzle_that_never_ends_without_circles_breaks_the_law():
    class Rises(Endless):
        def result(self, state, action):
            return state + 100

    assert [failure.law for failure in check_game(Rises(), playouts=2).failures] == ["Every game ends."]


DICE = '''
from outplay import CHANCE, Game


class Dice(Game):
    """Roll first, then take; who takes the last one wins."""

    has_chance = True
    compiled = False

    def initial_state(self):
        return (4, 0, 0)

    def to_move(self, state):
        return CHANCE if state[2] == 0 else state[1]

    def actions(self, state):
        return [1, 2] if state[2] == 0 else [taken for taken in range(1, state[2] + 1) if taken <= state[0]]

    def probability(self, state, action):
        return 0.5

    def result(self, state, action):
        return (state[0], state[1], action) if state[2] == 0 else (state[0] - action, 1 - state[1], 0)

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return 1.0 if player != state[1] else -1.0


class Walk(Game):
    players = 1
    compiled = False

    def initial_state(self):
        return 3

    def to_move(self, state):
        return 0

    def actions(self, state):
        return [0, 1]

    def result(self, state, action):
        return state + (1 if action else -1)

    def is_terminal(self, state):
        return state in (0, 6)

    def utility(self, state, player):
        return 1.0 if state == 6 else -1.0
'''


@pytest.fixture(scope="module")
def dice(tmp_path_factory):
    path = tmp_path_factory.mktemp("dice") / "told_dice.py"
    path.write_text(DICE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (["analyse", "Dice"], "Chance is to move: draw for player 0, exact"),
        (["solve", "Dice"], ""),
        (["play", "Dice", "--player", "none", "--level", "1"], ""),
        (["analyse", "Walk"], "play goes in circles here: this is value-iteration, which is exact"),
        (["solve", "Walk"], ""),
        (["play", "Walk", "--player", "none", "--level", "1"], "play goes in circles here: this is value-iteration"),
    ],
)
def test_commands_find_a_search_that_works(words, note, dice):
    command, name, *options = words
    found = CliRunner().invoke(app, [command, f"{dice}:{name}", *options], env={"COLUMNS": "300"})
    assert found.exit_code == 0, found.output
    assert note in " ".join(found.output.split())
    assert "exact" in found.output or command == "play"


def test_other_games_are_searched_as_before():
    for game in (Nim(), TicTacToe()):
        assert suited_to(game, game.initial_state()) == ("alpha-beta", "")
