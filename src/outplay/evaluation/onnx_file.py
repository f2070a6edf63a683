"""Neural networks in ONNX files, as evaluators of Monte Carlo tree search. See `planes.py` for their inputs."""

import math
from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.evaluation.layout import Layout
from outplay.evaluation.planes import METADATA, input_count, inputs_of, layout_from_text
from outplay.rules.arguments import check_type
from outplay.rules.constant_sum import is_opposed_pair, total
from outplay.rules.errors import EvaluationError
from outplay.rules.game import Game
from outplay.rules.wording import shown
from outplay.system.files import read_file

MAX_LOGIT = 700.0
"""Logits count as at least the greatest one minus this."""


class OnnxEvaluator:
    """A neural network in an ONNX file, which evaluates the leaves of `MCTS`; needs `pip install 'outplay[onnx]'`.

    The network has one input, float32 [batch, inputs]: for each location of the layout, in their order, an input for
    each symbol, which is 1 if the location has this symbol and else 0; then one for each player, which is 1 if that
    player is to move, and in games with chance one more, for chance.

    Its output `value` is the utility that the player to move can expect, or player 0 where chance is to move: float
    [batch] or [batch, 1]. For players whose interests are not opposed, and for more than two, it is [batch, players].
    If it has an output `policy`, float [batch, actions], its softmax gives the priors of the actions, which must be
    ints; [batch, i] is the logit of action i, and those of illegal actions do not count.

    Args:
        path: the file.
        game: the game.
        layout: how states are read. None: as `outplay` in the metadata of the file says; `layout_text` makes that text.
        threads: the number of threads of a call.

    Raises `EvaluationError` if onnxruntime is not installed, if the file is not a model, or for another game, or if its
    outputs are not as described.

        MCTS(game, evaluator=OnnxEvaluator("othello.onnx", game), batch=64)
    """

    def __init__(
        self, path: str | PathLike[str], game: Game, layout: Layout | None = None, *, threads: int = 1
    ) -> None:
        check_type(game, Game, "OnnxEvaluator(path, {})", "Othello()")
        self.path, self.game, self.threads = fspath(path), game, threads
        self._is_opposed = is_opposed_pair(game)
        self._session = self._opened(read_file(path, EvaluationError))
        self.layout = self._layout() if layout is None else layout
        self._input = self._checked_input()
        names = [output.name for output in self._session.get_outputs()]
        if "value" not in names:
            raise EvaluationError(f"{self.path} has no output 'value'; it has {', '.join(names)}")
        self._outputs = [name for name in ("value", "policy") if name in names]
        self([game.initial_state()] * 2)  # a wrong shape shows now

    def __repr__(self) -> str:
        return f"OnnxEvaluator({self.path!r}, {self.game!r})"

    def __reduce__(self) -> Any:
        return _evaluator, (self.path, self.game, self.layout, self.threads)

    def __call__(self, states: Sequence[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """The utilities that all players can expect [states, players], and priors [states, actions] or None."""
        try:
            inputs = inputs_of(self.game, self.layout, states)
            value, *policy = self._session.run(self._outputs, {self._input: inputs})
        except Exception as error:  # whatever onnxruntime makes of a model
            raise EvaluationError(f"{self.path} does not evaluate states of {self.game!r} ({shown(error)})") from None
        return self._values(value, states), self._priors(policy[0], len(states)) if policy else None

    def _opened(self, content: bytes) -> Any:
        try:
            import onnxruntime  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise EvaluationError(
                f"{self.path}: ONNX files need the extra onnx ({error}): pip install 'outplay[onnx]'"
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = self.threads
        options.log_severity_level = 4  # errors are exceptions as well
        try:
            return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # whatever onnxruntime makes of damaged bytes
            raise EvaluationError(f"{self.path} is not an ONNX model ({shown(error)})") from None

    def _layout(self) -> Layout:
        text = self._session.get_modelmeta().custom_metadata_map.get(METADATA)
        if text is None:
            raise EvaluationError(f"{self.path} has no {METADATA!r} in its metadata: write it, or give layout=")
        try:
            return layout_from_text(text, self.game)
        except EvaluationError as error:
            raise EvaluationError(f"{self.path}: {error}") from None

    def _checked_input(self) -> str:
        expected = input_count(self.game, self.layout)
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or inputs[0].type != "tensor(float)" or len(inputs[0].shape) != 2:
            kinds = ", ".join(f"{tensor.name}: {tensor.type} {tensor.shape}" for tensor in inputs)
            raise EvaluationError(f"{self.path} has inputs {kinds}: expected one, float32 [batch, {expected}]")
        width = inputs[0].shape[1]
        if isinstance(width, int) and width != expected:
            raise EvaluationError(f"{self.path} has {width} inputs; states of {self.game!r} have {expected}")
        return str(inputs[0].name)

    def _values(self, value: NDArray[Any], states: Sequence[Any]) -> NDArray[np.float64]:
        count, players = len(states), self.game.players
        shapes = [(count,), (count, 1)] if self._is_opposed else [(count, players)]
        if value.shape not in shapes:
            raise EvaluationError(
                f"{self.path} gave values of shape {value.shape} for {count} states of {self.game!r}:"
                f" expected {shapes[0]}"
            )
        if not np.isfinite(value).all():
            raise EvaluationError(f"{self.path} gave a value that is not a finite number")
        values = value.astype(np.float64)
        if not self._is_opposed:
            return values
        own = values.reshape(count, 1)
        if players == 1:
            return own
        first = np.array([[self.game.to_move(state) != 1] for state in states])
        opponent_value = (total(self.game) or 0.0) - own
        return np.hstack([np.where(first, own, opponent_value), np.where(first, opponent_value, own)])

    def _priors(self, policy: NDArray[Any], count: int) -> NDArray[np.float64]:
        if policy.ndim != 2 or len(policy) != count:
            raise EvaluationError(
                f"{self.path} gave a policy of shape {policy.shape} for {count} states: expected ({count}, actions)"
            )
        logits = policy.astype(np.float64)
        if np.isnan(logits).any() or (logits == math.inf).any():
            raise EvaluationError(f"{self.path} gave a policy that is not a number")
        highest = logits.max(axis=1, keepdims=True, initial=-1e300)
        return np.exp(np.maximum(logits - highest, -MAX_LOGIT))  # type: ignore[no-any-return]


def _evaluator(path: str, game: Game, layout: Layout, threads: int) -> OnnxEvaluator:
    return OnnxEvaluator(path, game, layout, threads=threads)
