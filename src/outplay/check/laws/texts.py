"""Laws of what people see: pictures, boards, and the texts of states and actions."""

from outplay.check.checker import Broken, Checker, describe
from outplay.check.laws.states import form
from outplay.check.run_memory import Place
from outplay.pictures.show import fault_of
from outplay.rules.errors import IllegalAction, RulesError
from outplay.rules.game import defines
from outplay.rules.keys import state_key


def pictures(check: Checker, place: Place) -> None:
    """A picture is text."""
    picture = check.ask("render", place.state)
    check.law("render returns text.", isinstance(picture, str), "got", picture)


def boards(check: Checker, place: Place) -> None:
    """All pieces of a picture lie on its board, and actions consist of its cells."""
    if not defines(check.game, "picture"):
        return
    board = check.ask("picture", place.state)
    fault = fault_of(board)
    check.law("picture returns a board with all pieces on it.", not fault, fault)
    cells = set(board.cells)
    for action in [] if place.over else place.actions[:3]:
        marked = tuple(check.ask("action_cells", place.state, action))
        check.law("action_cells returns cells of the board.", cells.issuperset(marked), "got", marked)


def state_texts(check: Checker, place: Place) -> None:
    """A state can be written as text and read again; other texts are refused."""
    game = check.game
    if not (defines(game, "state_text") and defines(game, "parse_state")):
        return
    text = check.ask("state_text", place.state)
    check.law("state_text returns text.", isinstance(text, str), "got", text)
    state_read = check.ask("parse_state", text)
    form(check, state_read)
    check.about("parse_state", place.state)
    is_same = state_key(game, check.copy(state_read)) == state_key(game, check.copy(place.state))
    check.law("parse_state reads what state_text writes.", is_same, repr(text), "was read as", state_read)
    law = "parse_state raises RulesError for text that is not a state."
    try:
        state_read = game.parse_state("no such state")
    except RulesError:
        return
    except Exception as error:
        raise Broken(law, f"'no such state' gave {describe(error)}") from error
    check.law(law, False, "'no such state' was read as", state_read)


def action_names(check: Checker, place: Place) -> None:
    """Every action has a name of its own; `parse_action` is the inverse and refuses everything else."""
    if place.over:
        return
    game, state = check.game, place.state
    names = [check.answer("action_name", state, action) for action in place.actions]
    for action in check.some(place.actions)[:3]:
        name = check.ask("action_name", state, action)
        check.law("action_name returns text.", isinstance(name, str), "got", name)
        twins = [other for other, its in zip(place.actions, names, strict=True) if its == name]
        check.law("Every legal action has a name of its own.", twins == [action], f"{name!r} names", twins)
        parsed = check.ask("parse_action", state, name)
        law = "parse_action finds an action by its name."
        check.law(law, parsed == action, f"{name!r} is {action}, got", parsed)
    illegal = [name for name in check.memory.names if name not in names][:1]
    check.memory.names = names
    for text in ("no such action", *illegal):
        law = "parse_action raises IllegalAction for all other text."
        try:
            parsed = game.parse_action(state, text)
        except IllegalAction:
            continue
        except Exception as error:
            raise Broken(law, f"{text!r} gave {describe(error)}") from error
        check.law(law, text in illegal and parsed in place.actions, f"{text!r} was understood as", parsed)
