"""Matches of any players, and what their results say about strength."""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.arena.adjudication import Adjudication
    from outplay.arena.balance import Balance
    from outplay.arena.balance_report import BalanceReport, Figure, StrengthReport
    from outplay.arena.calibration import save_levels
    from outplay.arena.contest import Contest, Round
    from outplay.arena.ladder import Ladder
    from outplay.arena.ladder_score import Gain, LadderResult, LadderScore, Rung
    from outplay.arena.log import LogError, MatchLog, read_log
    from outplay.arena.match import Match, Score
    from outplay.arena.naming import player_named
    from outplay.arena.openings import ListedOpenings, RandomOpenings
    from outplay.arena.orders import OrderRatings, rate_orders
    from outplay.arena.ratings import Rating, Ratings, rate
    from outplay.arena.records.files import read_records, write_records
    from outplay.arena.records.replay import RecordError, replay
    from outplay.arena.records.transcript import Recorded
    from outplay.arena.referee import GameRecord, Ply, Terms, play_game
    from outplay.arena.sequential import SequentialTest
    from outplay.arena.standings import Standing, Standings
    from outplay.arena.strengths import Mean, Strength, mean_of, strength
    from outplay.arena.tournament import Tournament
    from outplay.session.players import Player, Reply
    from outplay.session.view import Hidden, View

__all__ = [
    "Adjudication",
    "Balance",
    "BalanceReport",
    "Contest",
    "Figure",
    "Gain",
    "GameRecord",
    "Hidden",
    "Ladder",
    "LadderResult",
    "LadderScore",
    "ListedOpenings",
    "LogError",
    "Match",
    "MatchLog",
    "Mean",
    "OrderRatings",
    "Player",
    "Ply",
    "RandomOpenings",
    "Rating",
    "Ratings",
    "RecordError",
    "Recorded",
    "Reply",
    "Round",
    "Rung",
    "Score",
    "SequentialTest",
    "Standing",
    "Standings",
    "Strength",
    "StrengthReport",
    "Terms",
    "Tournament",
    "View",
    "mean_of",
    "play_game",
    "player_named",
    "rate",
    "rate_orders",
    "read_log",
    "read_records",
    "replay",
    "save_levels",
    "strength",
    "write_records",
]

# A bot in a process of its own must start fast: it needs none of the statistics.
__getattr__, __dir__ = _lazy(
    __name__,
    {
        "Adjudication": "outplay.arena.adjudication",
        "Balance": "outplay.arena.balance",
        **dict.fromkeys(("BalanceReport", "Figure", "StrengthReport"), "outplay.arena.balance_report"),
        "save_levels": "outplay.arena.calibration",
        "Ladder": "outplay.arena.ladder",
        **dict.fromkeys(("Gain", "LadderResult", "LadderScore", "Rung"), "outplay.arena.ladder_score"),
        **dict.fromkeys(("LogError", "MatchLog", "read_log"), "outplay.arena.log"),
        **dict.fromkeys(("Contest", "Round"), "outplay.arena.contest"),
        **dict.fromkeys(("Match", "Score"), "outplay.arena.match"),
        "player_named": "outplay.arena.naming",
        **dict.fromkeys(("ListedOpenings", "RandomOpenings"), "outplay.arena.openings"),
        **dict.fromkeys(("OrderRatings", "rate_orders"), "outplay.arena.orders"),
        **dict.fromkeys(("Player", "Reply"), "outplay.session.players"),
        **dict.fromkeys(("Rating", "Ratings", "rate"), "outplay.arena.ratings"),
        **dict.fromkeys(("read_records", "write_records"), "outplay.arena.records.files"),
        **dict.fromkeys(("RecordError", "replay"), "outplay.arena.records.replay"),
        "Recorded": "outplay.arena.records.transcript",
        **dict.fromkeys(("GameRecord", "Ply", "Terms", "play_game"), "outplay.arena.referee"),
        "SequentialTest": "outplay.arena.sequential",
        **dict.fromkeys(("Standing", "Standings"), "outplay.arena.standings"),
        **dict.fromkeys(("Mean", "Strength", "mean_of", "strength"), "outplay.arena.strengths"),
        "Tournament": "outplay.arena.tournament",
        **dict.fromkeys(("Hidden", "View"), "outplay.session.view"),
    },
)
