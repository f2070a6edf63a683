"""Laws of hidden information: what players know, remember and see, and the states that look the same to them."""

from contextlib import suppress
from typing import Any

from outplay.check.checker import Broken, Checker, describe
from outplay.check.laws.states import facts, form
from outplay.check.native import agree, ask_determinize, ask_information, run
from outplay.check.run_memory import Place, RecallRecord
from outplay.compile.kernels import cast_state
from outplay.compile.random_numbers import new_random
from outplay.pictures.board import Marks, board_svg
from outplay.pictures.show import fault_of
from outplay.rules.game import defines
from outplay.rules.keys import SEED, mix
from outplay.rules.user_code import line_of

RECALL = "information contains all that a player knew and did before (perfect recall)."
HIDDEN = "Something is hidden from some player."
LIKE = "determinize returns a state that looks the same."
ALL_WORLDS = "determinize draws all states that look the same."
MIN_PLAYOUTS = 10
"""The minimum number of playouts, and of doubtful states, that show whether something is hidden."""
MAX_DRAWS = 40
"""How often `determinize` may give the true state before it seems to know it."""


# -- in one state -----------------------------------------------------------------------------------------------------


def information(check: Checker, place: Place) -> None:
    """What each player knows can be hashed, and reads the same where it is the same."""
    game = check.game
    if place.over or not game.hidden_information:
        return
    information_keys = []
    for player in range(game.players):
        information = check.ask("information", place.state, player)
        information_keys.append(mix(SEED, information))
        if ask_information in check.native:
            native = run(check, ask_information, cast_state(game, place.state), player)
            agree(check, "information", information_keys[-1], native)
    place.knowledge = information_keys
    for player, number in enumerate(information_keys):
        views(check, place.state, player, number)


def views(check: Checker, state: Any, player: int, information: int) -> None:
    """What a player is shown tells no more than `information`."""
    if defines(check.game, "information_text"):
        information_texts(check, state, player, information)
    if defines(check.game, "seat_picture"):
        seat_pictures(check, state, player, information)


def information_texts(check: Checker, state: Any, player: int, information: int) -> None:
    """`information_text` tells no more than `information`."""
    text = check.ask("information_text", state, player)
    check.law("information_text returns text.", isinstance(text, str), "got", text)
    first, other = check.memory.texts.setdefault((player, information), (text, state))
    check.other = other
    law = "States that look the same to a player read the same to them."
    check.law(law, text == first, "to player", player, repr(text), "here, but", repr(first), "in the other state")


def seat_pictures(check: Checker, state: Any, player: int, information: int) -> None:
    """`seat_picture` is a board, and shows no more than `information`, not even by the order of its pieces."""
    board = check.ask("seat_picture", state, player)
    fault = fault_of(board)
    check.law("seat_picture returns a board with all pieces on it.", not fault, fault)
    drawing = hash(board_svg(board, "", Marks()))
    first, other = check.memory.pictures.setdefault((player, information), (drawing, state))
    check.other = other
    law = "States that look the same to a player are drawn the same for them."
    check.law(law, drawing == first, "for player", player, "the two states have different pictures")


def siblings(check: Checker, place: Place) -> None:
    """Players remember what they have just done. Notes whether they see what others, or chance, have just done."""
    game, memory = check.game, check.memory
    if place.over or not game.hidden_information:
        return
    children = [child for child in place.children if not game.is_terminal(child)]
    place.children = []  # they take much memory, and are not needed any more
    for player in reversed(range(game.players)):  # cards are dealt to player 0 first: who sees them too?
        first: dict[int, Any] = {}  # by what the player knows
        for child in children:
            check.about("information", child)
            other = first.setdefault(mix(SEED, check.answer("information", child, player)), child)
            if player == place.mover:
                reason = f"two actions of player {player} led here, and both states look the same to them"
                law_of_two(check, RECALL, other is child or check.same_state(other, child), child, other, reason)
            elif other is not child and not check.same_state(other, child):
                memory.blind.add(player)
        if player != place.mover and len(first) > 1:
            memory.seeing.setdefault(player, tuple(first.values())[:2])


def determinizations(check: Checker, place: Place) -> None:
    """What `determinize` draws is a state of the game that looks the same."""
    game = check.game
    if place.over or not game.hidden_information or not defines(game, "determinize") or not place.knowledge:
        return
    player, seed = check.random.randrange(game.players), check.random.randrange(1 << 31)
    guess = check.ask("determinize", place.state, player, seed)
    if ask_determinize in check.native:
        native = run(check, ask_determinize, cast_state(game, place.state), player, new_random(seed))
        agree(check, "determinize", guess, native)
    other, information = examined(check, place, guess, player)
    if player == place.mover:
        check.law(LIKE, other.mover == player, "there player", player, "is not to move, but knows that they are")
        is_same = set(other.actions) == set(place.actions)
        check.law(LIKE, is_same, "there player", player, "can play", other.actions, "and not", place.actions)
        views(check, guess, player, information)


def examined(check: Checker, place: Place, guess: Any, player: int) -> tuple[Place, int]:
    """What `determinize` returned, as a place, and the key of what `player` knows there. It must look the same."""
    try:
        form(check, guess)
        other = facts(check, guess)
        information = mix(SEED, check.ask("information", guess, player))
    except Exception as error:  # the state that was drawn is at fault, not the rule that failed there
        check.about("determinize", place.state)
        check.other = guess
        difference = ": ".join(map(str, error.args)) if isinstance(error, Broken) else describe(error)
        raise Broken(
            LIKE, f"{line_of(check.game, 'determinize')} returned {guess!r}, which looks different: {difference}"
        ) from error
    check.about("determinize", place.state)
    check.other = guess
    own_key = place.knowledge[player] if place.knowledge else mix(SEED, check.game.information(place.state, player))
    subject = f"{line_of(check.game, 'determinize')} returned a state that"
    check.law(LIKE, information == own_key, subject, "looks different to player", player)
    check.law(LIKE, not other.over, subject, "is over, but player", player, "knows that it is not")
    return other, information


# -- along a playout --------------------------------------------------------------------------------------------------


def recall(
    check: Checker, place: Place, player: int, memory: dict[int, tuple[int, int]], story: dict[int, str]
) -> None:
    """What players know tells them whether and what they may do, and all that they knew and did before.

    `memory` holds the information and the action of each player's last move, `story` the same in words.
    """
    past, own_story = memory.get(player), story.get(player, "nothing")
    first = check.memory.recalls.setdefault((player, place.knowledge[player]), RecallRecord(place, past, own_story))
    other = first.place
    if other is not place and not check.same_state(other.state, place.state):
        first.twin = place
    same_to = f"both states look the same to player {player}, who"
    waiting = "is to move in one of them alone"
    law = "information shows players whether they are to move."
    both = (place.state, other.state)
    law_of_two(check, law, (other.mover == player) == (place.mover == player), *both, same_to, waiting)
    if place.mover == player:
        law = "States that look the same to the player to move have the same legal actions."
        mine, its = sorted(place.actions), sorted(other.actions)
        law_of_two(check, law, mine == its, *both, same_to, "can play", mine, "here, but", its, "in the other state")
    before = "the last thing they did before this state is", f"{own_story}, and before the other state", first.story
    same_to = f"both states look the same to player {player}, but"
    law_of_two(check, RECALL, first.past == past, *both, same_to, *before)


def in_words(check: Checker, place: Place, action: int) -> str:
    """What the player to move knew and did, for people."""
    with suppress(Exception):  # that is a failure of its own
        knew = check.game.information_text(place.state, place.mover)
        return f"{check.game.action_name(place.state, action)!r} after {knew!r}"
    return f"action {action}"


# -- after all playouts -----------------------------------------------------------------------------------------------


def secrets(check: Checker) -> None:
    """Some player does not see something that others do, or chance."""
    seeing = check.memory.seeing
    if seeing and not check.memory.blind:
        player, pair = next(iter(seeing.items()))  # the earliest
        reason = "all others saw everything that chance and the players did; these two states look different to player"
        law_of_two(check, HIDDEN, False, *pair, reason, player)


def worlds(check: Checker) -> None:
    """`determinize` does not know the true state: it draws others too, where others look the same."""
    game = check.game
    if not defines(game, "determinize"):
        return
    for player in range(game.players):
        doubtful = [view for (who, _), view in check.memory.recalls.items() if who == player and view.twin is not None]
        for first_sight in doubtful[:MIN_PLAYOUTS]:
            drawn = (check.answer("determinize", first_sight.place.state, player, seed) for seed in range(MAX_DRAWS))
            if not all(check.same_state(state, first_sight.place.state) for state in drawn):
                break
        else:
            for first_sight in doubtful[:1]:
                check.about("determinize", first_sight.place.state)
                check.other = first_sight.twin.state if first_sight.twin else None
                reason = f"always got the given state for player {player}, to whom the other one looks the same"
                check.law(ALL_WORLDS, False, reason)


def law_of_two(check: Checker, law: str, holds: bool, state: Any, other: Any, *evidence: Any) -> None:
    """Try a law that two states break together."""
    check.about("information", state)
    check.other = other
    check.law(law, holds, *evidence)
