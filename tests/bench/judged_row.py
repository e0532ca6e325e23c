"""One line of a bench's table, and how tables are printed."""

from dataclasses import asdict, dataclass

from order_statistics import FAILS, HOLDS, NOT_DECIDED, Interval, median_interval

SHOWN = "shown"  # beside the judged figures, without a bar


@dataclass
class Row:
    condition: str
    figure: str
    median: float | None
    low: float | None
    high: float | None
    count: int  # of the values behind the median
    unit: str
    bar: str = ""  # as a reader writes it: ">= 0.97"
    verdict: str = SHOWN
    note: str = ""

    def as_dict(self) -> dict:
        return asdict(self)


def row_of(condition: str, figure: str, values: list[float], unit: str, **judged) -> Row:
    """A row with the median of the values and its interval; without values it says so and decides nothing."""
    if not values:
        bar = judged.pop("bar", "")
        return Row(
            condition, figure, None, None, None, 0, unit, bar, NOT_DECIDED if bar else SHOWN, "no good round"
        )
    interval = median_interval(values)
    return Row(
        condition, figure, interval.median, interval.low, interval.high, interval.count, unit, **judged
    )


def judged_row(
    condition: str, figure: str, values: list[float], unit: str, bar: str, judge, note: str = ""
) -> Row:
    """`judge` takes the values' Interval and returns a verdict."""
    if not values:
        return row_of(condition, figure, values, unit, bar=bar)
    interval: Interval = median_interval(values)
    return Row(
        condition,
        figure,
        interval.median,
        interval.low,
        interval.high,
        interval.count,
        unit,
        bar,
        judge(interval),
        note,
    )


def every_row(
    condition: str, figure: str, values: list[float], unit: str, bar: str, inside: list[bool], note: str = ""
) -> Row:
    """For a bar that each single round has to keep."""
    if not values:
        return row_of(condition, figure, values, unit, bar=bar)
    kept = f"{sum(inside)} of {len(inside)} inside"
    return row_of(
        condition,
        figure,
        values,
        unit,
        bar=bar,
        verdict=HOLDS if all(inside) else FAILS,
        note=f"{kept}; {note}" if note else kept,
    )


def number(value: float | None) -> str:
    """Four significant digits, no exponent."""
    if value is None:
        return "-"
    size = abs(value)
    digits = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3
    return f"{value:.{digits}f}"


_HEADS = ("condition", "figure", "median", "95% interval", "n", "unit", "bar", "verdict", "note")


def cells(row: Row) -> tuple[str, ...]:
    interval = "-" if row.low is None else f"{number(row.low)} .. {number(row.high)}"
    return (
        row.condition,
        row.figure,
        number(row.median),
        interval,
        str(row.count),
        row.unit,
        row.bar,
        row.verdict,
        row.note,
    )


def text_table(rows: list[Row]) -> str:
    lines = [_HEADS, *(cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines
    )


def markdown_table(rows: list[Row]) -> str:
    lines = ["| " + " | ".join(_HEADS) + " |", "|" + "---|" * len(_HEADS)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells(row)) + " |" for row in rows]
    return "\n".join(lines)


def exit_code(rows: list[Row]) -> int:
    """0: every bar holds; 4: one fails; 6: none fails and one is not decided. The numbers are those of
    `tutti`.
    """
    verdicts = {row.verdict for row in rows}
    return 4 if FAILS in verdicts else 6 if NOT_DECIDED in verdicts else 0
