"""Write the pictures of `outplay serve` in docs/images: `python tools/screens.py [--to FOLDER] [--language zh]`.

It needs the packages of the tests, Chromium with its driver, and Pillow.
"""

import argparse
import io
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from web.browser import PageInBrowser, open_browser, serve  # noqa: E402

COLOURS = 96
WIDE, PHONE = (1280, 800), (390, 844)
OPENING = "play/chess?moves=e4,e5,Nf3,Nc6,Bb5,a6"
ENDGAME = "play/chess?start=8/8/8/4k3/8/8/8/R3K3%20w%20-%20-%200%201"


def lobby(page: PageInBrowser) -> None:
    """All games."""
    page.go()
    page.wait(".thumbnail svg")


def play(page: PageInBrowser) -> None:
    """A piece is chosen, and its targets are shown."""
    page.go(OPENING)
    page.wait(".hit.next")
    page.click("b5")


def explore(page: PageInBrowser) -> None:
    """The value of every move of a position that is solved."""
    page.go("play/connect-four?moves=4,4,4,4,4,3,3,5,5,3,2,2,2,6,6,6,3")
    page.wait(".switch").click()
    page.until(lambda: page.all(".badge.good, .badge.bad"))
    page.until(lambda: not page.text(".summary").endswith("…"))


def explore_chess(page: PageInBrowser) -> None:
    """The value of every move of an opening."""
    page.go(OPENING)
    page.wait(".switch").click()
    page.until(lambda: page.all(".values tbody tr"))
    time.sleep(8)


def set_up(page: PageInBrowser) -> None:
    """The text of a position."""
    page.go(OPENING)
    page.wait(".hit.next")
    page.tool("Set up" if page.text(".language") == "中文" else "摆局面")
    page.wait("dialog textarea")


def table_map(page: PageInBrowser) -> None:
    """The value with the rook on each other place."""
    page.go(ENDGAME)
    page.wait(".switch").click()
    page.until(lambda: page.all(".values tbody tr"))
    page.until(lambda: page.all(".explore .quiet"))
    page.all(".explore .details > .row .quiet")[1].click()
    page.wait("dialog .hit.next")
    page.find('dialog .hit[data-cell="a1"]').click()
    page.wait("dialog .tint")


Screen = tuple[Callable[[PageInBrowser], None], tuple[int, int], bool]
SCREENS: dict[str, list[Screen]] = {
    "serve-play": [(play, WIDE, False)],
    "serve-explore": [(explore, WIDE, False)],
    "serve-explore-dark": [(explore_chess, WIDE, True)],
    "serve-set-up": [(set_up, WIDE, True)],
    "serve-map": [(table_map, WIDE, False)],
    "serve-phone": [(play, PHONE, True), (explore, PHONE, False)],
}
"""What each picture shows, side by side: a screen, its size, and whether it is dark."""
OTHERS: dict[str, list[Screen]] = {
    "lobby": [(lobby, WIDE, False), (lobby, WIDE, True)],
    "lobby-phone": [(lobby, PHONE, False), (lobby, PHONE, True)],
}
"""Pictures that are made only on demand."""


def picture(screen: Screen, address: str, language: str) -> Image.Image:
    """What a screen looks like."""
    show, (width, height), dark = screen
    browser = open_browser(width, height, dark=dark, language=language)
    try:
        show(PageInBrowser(browser, address))
        time.sleep(0.5)
        return Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    finally:
        browser.quit()


def side_by_side(pictures: list[Image.Image], gap: int = 16) -> Image.Image:
    """Pictures as one."""
    width = sum(picture.width for picture in pictures) + gap * (len(pictures) - 1)
    canvas, x = Image.new("RGB", (width, max(picture.height for picture in pictures)), "white"), 0
    for picture in pictures:
        canvas.paste(picture, (x, 0))
        x += picture.width + gap
    return canvas


def table_of_endgames(folder: Path) -> Path:
    """A table of king and rook against king."""
    from outplay import Tablebase  # noqa: PLC0415 - slow to import
    from outplay.games import Chess  # noqa: PLC0415

    path = folder / "krk.table"
    table = Tablebase.make(Chess(), classes=["KRK"])
    assert table is not None
    table.save(path)
    return path


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = ", ".join(SCREENS | OTHERS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {names}; by default those of the docs")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server, address = serve("--table", table_of_endgames(Path(folder)), "--keep", folder)
        try:
            for name in options.names or SCREENS:
                screens = [picture(screen, address, options.language) for screen in (SCREENS | OTHERS)[name]]
                path = options.to / f"{name}.png"
                side_by_side(screens).quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
                print(f"{path.name}: {path.stat().st_size:,} bytes")
        finally:
            server.terminate()
            server.wait(10)


if __name__ == "__main__":
    main()
