"""`outplay quiz`: questions about the algorithms of the textbook, in the terminal or as a sheet."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from difflib import get_close_matches
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer

from outplay.cli.options import Json, check_file
from outplay.cli.output import print_json, say
from outplay.cli.saving import saved
from outplay.system.files import write_file

if TYPE_CHECKING:
    from outplay.session.quiz import Part, Question

EXAMPLES = (
    "Examples:",
    "  outplay quiz alpha-beta",
    "  outplay quiz mcts --level 3 --questions 10",
    "  outplay quiz expectiminimax --html sheet.html --questions 30 --seed 7",
    "Type ? to see the answer, q to stop. A sheet has the answers on pages of their own.",
)


def quiz(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="minimax, alpha-beta, expectiminimax, mcts or nash.")],
    questions: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="The number of questions.")] = 5,
    level: Annotated[int, typer.Option(metavar="N", min=1, max=3, help="From 1, easy, to 3.")] = 2,
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, help="The same seed asks the same questions.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a sheet with questions and answers.")] = None,
    json: Json = False,
) -> None:
    """Ask questions about an algorithm, and explain the answers."""
    from outplay.session.quiz import KINDS, question, sheet

    random = Random(seed)  # noqa: S311 - not for secrets
    name = kind.lower().replace("_", "-")
    if name not in KINDS:
        similar = get_close_matches(name, KINDS, n=1)
        hint = f"did you mean {similar[0]}?" if similar else f"choose {', '.join(KINDS)}"
        raise typer.BadParameter(f"there is no quiz {kind!r}; {hint}")
    check_file("--html", html, ".html")
    quiz_questions = [question(name, random, level) for _ in range(questions)]
    if json:
        print_json([one.as_dict() for one in quiz_questions])
    is_written = html is not None and saved(lambda: write_file(html, sheet(quiz_questions).encode()), html)
    if json or is_written:
        return
    points = of = 0
    for number, one in enumerate(quiz_questions, 1):
        say(f"Question {number} of {questions}: {one.title}", "bold")
        say()
        say(one.text)
        say()
        right = ask(one)
        if right is None:
            break
        points, of = points + right, of + len(one.parts)
    if of:
        say(f"{points} of {of} answers right.", "bold")


def ask(question: "Question") -> int | None:
    """Ask all parts of a question, and explain. Returns the number of right answers; None to stop."""
    right = 0
    for part in question.parts:
        text = answer_to(part)
        if text is None:
            return None
        if text != "?" and part.is_right(text):
            right += 1
            say("Right.", "green")
        else:
            say(f"{'The answer is' if text == '?' else 'No:'} {part.answer}.", "yellow")
    say()
    say(question.explanation)
    say()
    return right


def answer_to(part: "Part") -> str | None:
    """What a person answers, or ?; it is asked again if that is no answer at all. None to stop."""
    while True:
        try:
            text = input(f"{part.ask} ").strip()
        except (EOFError, KeyboardInterrupt):
            say()
            return None
        if text.lower() in ("q", "quit", "exit"):
            return None
        if text == "?" or part.is_answer(text):
            return text
        say(f"Write {part.form}; ? shows the answer, q stops.", "yellow")
