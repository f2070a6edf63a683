"""The Go Text Protocol, version 2: a game between programs, in lines of text.

A controller, such as GoGui, Sabaki or gogui-twogtp, writes one command per line. The engine answers each with `=` and
the result, or with `?` and an error message, followed by an empty line. A number before a command is repeated in the
answer:

    7 play black E5       =7
                          (empty)
    8 genmove white       =8 C3
                          (empty)

Source: G. Farnebäck, *Specification of the Go Text Protocol, version 2, draft 2* (2002).

Reading order: `responder.py` (a line and its answer), `engine.py` (the commands for any game of two players), `go.py`
(the commands of Go), `overtime.py` (the time of a player).
"""
