"""The style of the page has the colours that pictures have."""

from importlib.resources import files

from outplay.pictures import svg


def test_the_style_has_the_dark_colours_of_pictures():
    style = files("outplay.web").joinpath("static", "style.css").read_text("utf-8")
    for name, rule in svg.CLASSES.items():
        assert f".outplay .{name}{{{rule}}}" in style, name
