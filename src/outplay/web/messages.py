"""What a page may ask, and the check of it: a request is a JSON object with a type, a number and the fields below."""

import json
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from outplay.rules.errors import OutplayError
from outplay.rules.wording import shown

LONGEST, LONGEST_IMPORT = 64_000, 1_000_000
"""The most bytes of a message, and of one with the record of a game."""
MOST_ID = 2**53


class BadRequest(OutplayError):
    """A message that is not a request."""


class Kind(NamedTuple):
    """The values of a field."""

    type: type
    most: int
    """The most characters of a text, items of a list, or the greatest number."""
    is_needed: bool = True


def text(most: int, is_needed: bool = True) -> Kind:
    """A field with text."""
    return Kind(str, most, is_needed)


def optional(kind: type, most: int = MOST_ID) -> Kind:
    """A field that may be left out."""
    return Kind(kind, most, is_needed=False)


NODE = optional(int)
REQUESTS: dict[str, dict[str, Kind]] = {
    "hello": {"language": text(20, False)},
    "picture": {"game": text(200)},
    "open": {
        "game": text(200), "seats": optional(list, 64), "moves": text(50_000, False), "start": text(5_000, False),
        "clock": text(30, False), "chance": text(10, False),
    },
    "join": {"room": text(40), "token": text(40, False), "tokens": optional(list, 64)},
    "leave": {},
    "play": {"action": Kind(int, 1_000_000), "node": NODE},
    "play_text": {"text": text(200), "node": NODE},
    "go": {"node": Kind(int, MOST_ID)},
    "undo": {},
    "agree": {"yes": Kind(bool, 1)},
    "roll": {},
    "resign": {},
    "go_on": {},
    "explore": {"on": Kind(bool, 1), "algorithm": text(40, False), "seconds": optional(float, 600)},
    "curve": {"on": Kind(bool, 1)},
    "steps": {"algorithm": text(40, False)},
    "map": {"cell": text(40, False)},
    "export": {"format": text(10)},
    "import": {"format": text(10, False), "text": text(LONGEST_IMPORT), "game": text(200, False)},
    "set_up": {"text": text(5_000)},
    "link": {},
}  # fmt: skip
"""The fields of each type of request."""


@dataclass(frozen=True)
class Request:
    """A request of a page.

    >>> request = read_request('{"type": "play", "id": 7, "action": 3}')
    >>> request.type, request.id, request["action"], request["node"]
    ('play', 7, 3, None)
    >>> read_request('{"type": "play", "id": 7}')
    Traceback (most recent call last):
    ...
    outplay.web.messages.BadRequest: play: action is missing
    """

    type: str
    id: int
    fields: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields.get(name)


def read_request(data: str) -> Request:
    """The request in a message. Raises `BadRequest` if it is none; `number_of` may still know its number."""
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"this is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise BadRequest("a message is a JSON object")
    kind, number = message.pop("type", None), message.pop("id", None)
    if not isinstance(kind, str) or kind not in REQUESTS:
        raise BadRequest(f"there is no request {kind!r:.40}")
    if type(number) is not int or not 0 <= number <= MOST_ID:
        raise BadRequest(f"{kind}: id is a number from 0 on")
    if len(data) > LONGEST and kind != "import":
        raise BadRequest(f"{kind}: a message has at most {LONGEST:,} bytes")
    fields = REQUESTS[kind]
    for name in message:
        if name not in fields:
            raise BadRequest(f"{kind} has no field {name!r:.40}")
    for name, field in fields.items():
        if message.get(name) is None:
            if field.is_needed:
                raise BadRequest(f"{kind}: {name} is missing")
        else:
            _check(f"{kind}: {name}", message[name], field)
    return Request(kind, number, message)


def encoded(message: dict[str, Any]) -> str:
    """A message as JSON: all that a browser gets, and what is kept of a room, is written here.

    What a user's rule gave and JSON has not, is a text: other objects as Python writes them, and "nan", "inf" and
    "-inf".

    >>> encoded({"name": {1}, "utilities": (0.5, float("inf"))})
    '{"name": "{1}", "utilities": [0.5, "inf"]}'
    """
    try:
        return json.dumps(message, default=shown, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(message), default=shown, allow_nan=False)


def _finite(value: Any) -> Any:
    """The same, with texts instead of numbers that are not finite."""
    if isinstance(value, dict):
        return {str(_finite(key)): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return str(float(value)) if isinstance(value, float) and not math.isfinite(value) else value


def number_of(data: str) -> int | None:
    """The number of a message that is not a request, if it has one, so that the page knows what was refused."""
    try:
        number = json.loads(data)["id"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    return number if type(number) is int else None


def _check(name: str, value: Any, field: Kind) -> None:
    """Raise `BadRequest` if a value is not what the field takes."""
    kinds = (int, float) if field.type is float else (field.type,)
    if type(value) not in kinds:
        raise BadRequest(f"{name} is a {field.type.__name__}, not {value!r:.40}")
    size = len(value) if isinstance(value, str | list) else value
    if not 0 <= size <= field.most:
        raise BadRequest(f"{name} is too long or out of range")
    if isinstance(value, list) and not all(isinstance(item, str) and len(item) <= 200 for item in value):
        raise BadRequest(f"{name} is a list of short texts")
