"""A real browser: a page of `outplay serve`, used as people do, and a server for it.

It needs Debian's `chromium` and `chromium-driver`, or Google Chrome with its driver.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress

import pytest

webdriver = pytest.importorskip("selenium.webdriver")

TURN = """
const [share, preferred] = [arguments[0] ?? 0, arguments[1] ?? []];
const page = document.querySelector(".room");
const dialog = document.querySelector("dialog[open]");
const status = page.querySelector(".status");
const all = dialog ? [...dialog.querySelectorAll(".choices button")]
  : [...page.querySelectorAll(".hit.next"), ...page.querySelectorAll(".actions button.action")];
const liked = all.filter(choice => preferred.includes(choice.textContent));
const choices = liked.length ? liked : all;
const choice = choices[Math.floor(share * choices.length)] ?? null;
return {turn: status.className.split(" ")[1], text: status.textContent, count: all.length, choice};
"""
"""Whose turn it is, how much can be clicked to play, and one of that; a preferred one if there is one."""


def program(*names):
    """The first of these programs that is installed."""
    return next((path for name in names if (path := shutil.which(name))), None)


def serve(*arguments, port=0):
    """A server, and the address of its page."""
    command = [sys.executable, "-m", "outplay", "serve", *map(str, arguments), "--no-open", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    return server, re.search(r"http://\S+/", server.stdout.readline()).group()


def open_browser(width=1280, height=800, *, dark=False, reduced_motion=True, language="en"):
    """A browser without a window; the test is skipped if there is none."""
    chromium, driver = program("chromium", "google-chrome", "chrome"), program("chromedriver")
    if not (chromium and driver):
        pytest.skip("no chromium with its chromedriver: apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    for argument in ("headless=new", "no-sandbox", "disable-gpu"):
        options.add_argument(f"--{argument}")
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else ""},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    return browser


class PageInBrowser:
    """A page of `outplay serve`, used as people do."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address
        self.expected = "nothing"  # what the console may say

    def go(self, hash_=""):
        self.browser.get(self.address + "#/")
        self.wait("#main")
        self.browser.get(f"{self.address}#/{hash_}")

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def wait(self, selector, seconds=60):
        return self.until(lambda: self.all(selector), seconds, selector)[0]

    def until(self, condition, seconds=60, what="it"):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := condition():
                return value
            time.sleep(0.02)
        raise AssertionError(f"{what} did not come about in {seconds} s")

    def text(self, selector):
        return self.browser.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def start(self, game, **fields):
        """Start a game with these values in the form."""
        self.go(f"new/{game}")
        self.wait("dialog .primary")
        for name, value in fields.items():
            self.browser.execute_script(
                "const field = document.querySelector(`dialog [name='${arguments[0]}']`);"
                "if (field.type === 'checkbox') field.checked = arguments[1]; else field.value = arguments[1];"
                "field.dispatchEvent(new Event('change'))",
                name, value,
            )  # fmt: skip
        self.find("dialog .primary").click()
        self.wait(".status strong")

    def turn(self, share=0.0, prefer=()):
        """Wait until something can be clicked, or the game is over."""

        def ready():
            now = self.now(share, prefer)
            return now if now["choice"] or now["turn"] in ("over", "fault") else None

        return self.until(ready, what="a turn")

    def now(self, share=0.0, prefer=()):
        return self.browser.execute_script(TURN, share, prefer)

    def click(self, cell):
        from selenium.common.exceptions import StaleElementReferenceException

        with suppress(StaleElementReferenceException):  # a new position came
            return self.find(f'.hit[data-cell="{cell}"]').click()
        return self.find(f'.hit[data-cell="{cell}"]').click()

    def play(self, *moves):
        """Play moves, each a text of cells such as `e2 e4`, and wait for the answer of the other side."""
        for move in moves:
            self.turn()
            for cell in move.split():
                self.click(cell)
            self.until(lambda: not self.all(".chosen"))

    def click_on_anything(self, random, most=10_000, prefer=()):
        """Play by clicks alone until the game is over, at random. Returns how it ended."""
        from selenium.common.exceptions import WebDriverException

        for _ in range(most):
            now = self.turn(random.random(), prefer)
            if now["turn"] in ("over", "fault"):
                return now["text"]
            try:
                now["choice"].click()
            except WebDriverException as error:  # it was gone before the click
                if "stale" not in str(error) and "not clickable" not in str(error):
                    raise
        return f"{most} clicks"

    def tool(self, label):
        next(tool for tool in self.all(".tools button") if tool.get_attribute("title") == label).click()

    def moves(self):
        return self.browser.execute_script(
            "return [...document.querySelectorAll('.move button')].map(move => move.textContent)"
        )

    def keys(self, *keys):
        from selenium.webdriver import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def faults(self):
        """What the console says, and requests to other hosts."""
        import json

        said = [
            entry["message"]
            for entry in self.browser.get_log("browser")
            if entry["level"] != "INFO" and self.expected not in entry["message"]
        ]
        requests = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = [each["params"]["request"]["url"] for each in requests if each["method"] == "Network.requestWillBeSent"]
        return said + [url for url in urls if not url.startswith((self.address, "data:", "blob:"))]
