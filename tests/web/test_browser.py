"""The replay page in a real browser: buttons, keys, views, a narrow screen, no errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from mextrain import RuleSet, analyse, replay_page
from mextrain.web.frames import steps
from tests.picture.drawing import played
from tests.web.browser import use

END = played(RuleSet.mexican(players=4, tile_set="double-6", hand_size=5), 3)
NAMES = ["Ann", "<b>Ben</b>", "C & D", '"Dan"']
LAST = sum(event.is_decision for event in END.events)


@pytest.fixture(scope="module")
def page() -> str:
    """A page that knows all hands."""
    return replay_page(END, names=NAMES, worlds=20)


def test_buttons(page: str, tmp_path: Path) -> None:
    script = """
      const out = [text("number")];
      for (const id of ["forward", "forward", "back", "last", "forward", "first", "back"]) {
        $(id).click(); out.push(text("number"));
      }
      $("slider").value = 5; $("slider").dispatchEvent(new Event("input")); out.push(text("number"));
      $("list").children[3].click(); out.push(text("number"));
      return out;"""
    wanted = [0, 1, 2, 1, LAST, LAST, 0, 0, 5, 3]
    assert use(page, script, tmp_path) == [f"{number} / {LAST}" for number in wanted]


def test_keys(page: str, tmp_path: Path) -> None:
    script = """
      const out = [];
      for (const name of ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"]) {
        key(name); out.push(text("number"));
      }
      const views = [];
      for (const name of ["1", "3", "9", "a"]) {
        key(name); views.push([...$("views").children].map(b => b.getAttribute("aria-pressed")).join());
      }
      return [out, views];"""
    steps_taken, views = use(page, script, tmp_path)
    assert steps_taken == [f"{number} / {LAST}" for number in (1, 2, 1, LAST, 0)]
    pressed = [",".join("true" if k == on else "false" for k in range(5)) for on in (2, 4, 4, 0)]
    assert views == pressed


def test_it_plays_and_pauses(page: str, tmp_path: Path) -> None:
    script = """
      $("speed").value = "250"; $("play").click();
      const on = $("play").getAttribute("aria-label");
      await wait(1100); $("play").click();
      const there = text("number"); await wait(1000);
      const still = text("number");
      key(" "); await wait(600); key(" ");
      const on_again = text("number");
      $("speed").value = "250"; $("play").click(); await wait(28000 / 2);
      return [on, there, still, on_again, text("number"), $("play").getAttribute("aria-label")];"""
    on, there, still, on_again, last, end = use(page, script, tmp_path)
    assert (on, end) == ("Pause", "Play")
    assert there == still == f"4 / {LAST}"
    assert on_again == f"6 / {LAST}"
    assert last == f"{min(LAST, 6 + 56)} / {LAST}"


def test_a_view_turns_the_other_hands_over(page: str, tmp_path: Path) -> None:
    script = """
      const seen = (s, side) => [...document.querySelectorAll(`#table .h${s} .${side}`)]
        .filter(e => getComputedStyle(e).display !== "none").length;
      const count = () => [0, 1, 2, 3].map(s => [seen(s, "up"), seen(s, "down")]);
      const all = count(); look(2); const two = count(); look(null);
      return [all, two, count()];"""
    sizes = [5] * 4
    all_hands, two, again = use(page, script, tmp_path)
    assert all_hands == again == [[size, 0] for size in sizes]
    assert two == [[size, 0] if seat == 2 else [0, size] for seat, size in enumerate(sizes)]


def test_words_hide_what_others_draw(page: str, tmp_path: Path) -> None:
    script = """
      const out = {};
      for (const v of [null, 0, 1, 2, 3]) {
        look(v);
        out[v] = [];
        for (let i = 0; i < D.frames.length; i++) {
          go(i);
          out[v].push(text("said") + " | " + $("list").children[i].textContent);
        }
      }
      return out;"""
    found = use(page, script, tmp_path)
    everything = "\n".join(found["null"])
    for event in END.events:
        if event.is_draw:
            assert f"{NAMES[event.seat]} draws {event.tile}" in everything
            for seat in range(4):
                told = "\n".join(found[str(seat)])
                assert (f"{NAMES[event.seat]} draws {event.tile}" in told) == (seat == event.seat)
                assert (f"{event.seat}:draw {event.tile}" in told) == (seat == event.seat)


def test_the_address_is_frame_and_view(page: str, tmp_path: Path) -> None:
    script = """
      const before = [text("number"), view, $("table").firstChild.getAttribute("class")];
      key("ArrowRight"); key("a");
      return [before, location.hash];"""
    assert use(page, script, tmp_path, address="#4,1") == [[f"4 / {LAST}", 1, "mx as1"], "#5"]


def test_it_opens_where_it_was_told_to(tmp_path: Path) -> None:
    event = [number for number, each in enumerate(END.events) if each.is_decision][4]
    page = replay_page(END, worlds=20, beliefs=False, event=event)
    assert use(page, 'return text("number");', tmp_path) == f"4 / {LAST}"


def test_an_error_of_the_page_is_seen(tmp_path: Path) -> None:
    for fault in ("missing();", 'console.error("x");', 'fetch("file:///x");'):
        page = replay_page(END, worlds=20, beliefs=False).replace("page();\n", f"page();\n{fault}\n", 1)
        with pytest.raises(AssertionError):
            use(page, "return 1;", tmp_path)


def test_names_are_text(page: str, tmp_path: Path) -> None:
    script = 'key("End"); look(1); return [document.querySelectorAll("main b").length, text("views"), text("whose")];'
    bold, views, whose = use(page, script, tmp_path)
    assert bold == 4  # the squares of the legend
    assert all(f"As {seat} {name}" in views for seat, name in enumerate(NAMES))
    assert NAMES[1] in whose


@pytest.mark.parametrize("size", ["400,800", "1200,900"])
def test_nothing_sticks_out(page: str, tmp_path: Path, size: str) -> None:
    script = """
      const wide = [document.documentElement.scrollWidth, innerWidth];
      const boxes = [...document.querySelectorAll("main > *, button")].map(e => e.getBoundingClientRect());
      const outside = boxes.filter(b => b.right > innerWidth + 1 || b.left < 0);
      return [...wide, outside.length, $("table").scrollWidth];"""
    wide, room, outside, table = use(page, script, tmp_path, size=size)
    assert wide <= room
    assert outside == 0
    assert table >= 620


def test_losses_are_shown(tmp_path: Path) -> None:
    found = analyse(END, playouts=40, luck_playouts=2)
    script = """
      const out = [];
      for (let i = 0; i < D.frames.length; i++) {
        go(i);
        const b = $("said").querySelector("b");
        out.push(b ? b.textContent : null);
      }
      return out;"""
    shown = use(replay_page(END, worlds=20, analysis=found), script, tmp_path)
    numbers = {step.first_event: index for index, step in enumerate(steps(END)) if index}
    for row in found.decisions:
        said = shown[numbers[row.event]]
        if row.choices == 1 or row.loss is None:
            assert said is None
        elif row.grade == "best":
            assert said == "best move"
        else:
            assert said == f"{row.grade}: {row.loss:.1f} points lost, {row.best} was best"


def test_a_page_of_one_seat_and_a_round_without_moves(tmp_path: Path) -> None:
    page = replay_page(END, for_seat=2, worlds=20)
    script = 'key("End"); key("0"); key("a"); return [$("views").children.length, view, text("knows"), text("result")];'
    views, view, knows, result = use(page, script, tmp_path)
    assert (views, view) == (1, 2)
    assert "only what seat 2 can see" in knows
    assert "?" in result
    start = replay_page(END.restart(), worlds=20, beliefs=False)
    script = '$("play").click(); key("End"); return [text("number"), $("places").hidden, text("result")];'
    assert use(start, script, tmp_path) == ["0 / 0", True, "the round goes on"]
