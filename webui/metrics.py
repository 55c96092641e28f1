"""Figures for a Prometheus on this machine, or for the director: they count what players may not know."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator

from flask import Blueprint, Flask, Response, current_app, g, request

from webui import public
from webui.desk import Desk, desk
from webui.roles import is_local, let_in
from webui.streams import Streams

blueprint = Blueprint("metrics", __name__)


class Metrics:
    """Counts answers by their status, and the seconds until each one began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[int] = Counter()
        self._seconds = 0.0
        self._started = time.time()

    def answered(self, status: int, seconds: float) -> None:
        with self._lock:
            self._answers[status] += 1
            self._seconds += seconds

    def text(self, desk: Desk, streams: Streams) -> str:
        """The Prometheus text format, version 0.0.4."""
        with self._lock:
            answers, seconds = dict(self._answers), self._seconds
        lines: list[str] = []

        def add(name: str, kind: str, means: str, values: Iterator[tuple[str, float]]) -> None:
            lines.extend((f"# HELP {name} {means}", f"# TYPE {name} {kind}"))
            lines.extend(f"{name}{labels} {value:.15g}" for labels, value in values)

        hands = desk.source.hands()
        total = sum(answers.values())
        one = [
            ("bookwatch_start_time_seconds", "gauge", "Unix time at which this server began.", self._started),
            ("bookwatch_hands", "gauge", "Hands recorded.", len(hands)),
            ("bookwatch_hands_open", "gauge", "Hands that have not ended.", sum(not h.ended for h in hands)),
            ("bookwatch_hands_damaged", "gauge", "Hands whose log cannot be read to its end.",
             sum(h.problem is not None for h in hands)),
            ("bookwatch_events_total", "counter", "Events that arrived.", desk.source.cursor()),
            ("bookwatch_streams", "gauge", "Open live streams.", streams.open),
            ("bookwatch_answer_seconds_sum", "counter", "Seconds until answers began, summed.", seconds),
            ("bookwatch_answer_seconds_count", "counter", "Answers, for their mean.", total),
        ]  # fmt: skip
        for name, kind, means, value in one:
            add(name, kind, means, iter([("", value)]))
        by_status = ((f'{{status="{s}"}}', float(n)) for s, n in sorted(answers.items()))
        add("bookwatch_answers_total", "counter", "Answers by status.", by_status)
        add("bookwatch_sight_age_seconds", "gauge", "Age of the camera's last look at a table.", _ages(desk))
        return "\n".join(lines) + "\n"


def _ages(desk: Desk) -> Iterator[tuple[str, float]]:
    for table in sorted({h.table for h in desk.source.hands() if h.table is not None}):
        age = public.beat(desk, table)["age"]
        if age is not None:
            label = table.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
            yield f'{{table="{label}"}}', age


def measure(app: Flask) -> None:
    """Counts every answer of the application."""
    counts = app.extensions["bookwatch_metrics"] = Metrics()

    @app.before_request
    def _begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def _end(response: Response) -> Response:
        counts.answered(response.status_code, time.perf_counter() - g.get("began", time.perf_counter()))
        return response


@blueprint.get("/metrics")
def metrics() -> Response:
    if not is_local(request):
        let_in("director")
    counts: Metrics = current_app.extensions["bookwatch_metrics"]
    text = counts.text(desk(), current_app.config["BOOKWATCH_STREAMS"])
    return Response(text, mimetype="text/plain", content_type="text/plain; version=0.0.4")
