"""The interactive explorer: the board on a terminal, driven by keys."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Label, OptionList, Static
from textual.widgets.option_list import Option

from .board import Board, Line, difference, from_difference, obstacle_line, offer_line


class Explorer(App[None]):
    """Steps above, the state below them, and what can happen next at the bottom.

    All of it is readable in 80 columns and without colour: the step that is gone to, changed values and the harm
    have signs of their own.
    """

    CSS = """
    Screen { layout: vertical; }
    #steps { height: 40%; border: none; }
    #state { height: 30%; border-top: solid $foreground 30%; }
    #next { height: 1fr; border-top: solid $foreground 30%; }
    Label { text-style: bold; width: 100%; height: auto; }
    .hidden { display: none; }
    #offers { height: 1fr; border: none; }
    #more { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,n", "step(1)", "next"),
        Binding("left,p", "step(-1)", "back"),
        Binding("home", "first", "first", show=False),
        Binding("end", "last", "last", show=False),
        Binding("o", "obstacles", "what cannot"),
        Binding("d", "difference", "diff"),
        Binding("r", "drop", "drop branch"),
        Binding("q", "quit", "quit"),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, board: Board, title: str) -> None:
        super().__init__()
        self.board, self.heading = board, title
        self.shown = "offers"
        self._offers = board.offers()

    def compose(self) -> ComposeResult:
        """The panes."""
        yield Label(self.heading, id="heading", markup=False)
        yield OptionList(id="steps", markup=False)
        with VerticalScroll(id="state"):
            yield Static(id="values")
        with Vertical(id="next"):
            yield Label("", id="what", markup=False)
            yield OptionList(id="offers", markup=False)
            with VerticalScroll(id="more", classes="hidden"):
                yield Static(id="text")
        yield Footer()

    def on_mount(self) -> None:
        """Show the start."""
        self.query_one("#steps").focus()
        self._show()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter goes to a step, or takes one that is offered."""
        if event.option_list.id == "steps":
            self.board.go(event.option_index)
        elif self._offers:
            self.board.take(self._offers[event.option_index])
        self._show()

    def action_step(self, by: int) -> None:
        """Forward or back by steps."""
        self.board.go(self.board.at + by)
        self._show()

    def action_first(self) -> None:
        """To before the first step."""
        self.board.go(0)
        self._show()

    def action_last(self) -> None:
        """To after the last step."""
        self.board.go(len(self.board.all_steps))
        self._show()

    def action_drop(self) -> None:
        """Back from a branch to the run."""
        self.board.drop_branch()
        self._show()

    def action_obstacles(self) -> None:
        """Show what cannot happen, or again what can."""
        self.shown = "offers" if self.shown == "obstacles" else "obstacles"
        self._show()

    def action_difference(self) -> None:
        """Show how the branch differs from the run, or again what can happen."""
        self.shown = "offers" if self.shown == "difference" else "difference"
        self._show()

    def _show(self) -> None:
        board = self.board
        self._offers = board.offers()
        steps = self.query_one("#steps", OptionList)
        rows = [Line("  0 before the first step"), *board.step_lines()]
        signs = [">" if count == board.at else "!" if row.marked else " " for count, row in enumerate(rows)]
        with self.prevent(OptionList.OptionHighlighted):
            steps.clear_options()
            steps.add_options([Option(Content(f"{sign}{row.text}")) for sign, row in zip(signs, rows, strict=True)])
            steps.highlighted = board.at
        values = "\n".join(f"{'*' if line.changed else ' '} {line.text}" for line in board.state_lines())
        self.query_one("#values", Static).update(Content(values))
        self._show_next()

    def _show_next(self) -> None:
        offers, text = self.query_one("#offers", OptionList), self.query_one("#text", Static)
        offers.set_class(self.shown != "offers", "hidden")
        self.query_one("#more").set_class(self.shown == "offers", "hidden")
        heading = f"can happen now: {len(self._offers)} (tab, enter takes one)"
        if self.shown == "obstacles":
            found = self.board.obstacles()
            heading = f"cannot happen now, and the first condition in the way: {len(found)}"
            text.update(Content("\n".join(map(obstacle_line, found))))
        elif self.shown == "difference":
            heading = "the run (-) and the branch (+)"
            text.update(Content("\n".join(from_difference(difference(self.board.steps, self.board.all_steps)))))
        self.query_one("#what", Label).update(Content(heading))
        offers.clear_options()
        offers.add_options([Option(Content(offer_line(one))) for one in self._offers])
