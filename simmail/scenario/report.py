"""
Reports of scenarios: text for a terminal, JUnit XML for continuous integration, one HTML page without scripts.

The same runs make the same octets: nothing in them is of real time or of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from xml.etree import ElementTree

from simmail.scenario.outcome import Played, Result

_STYLE = """
:root { color-scheme: light dark; --good: #15803d; --bad: #b91c1c; --line: #8884; --soft: #8881; }
@media (prefers-color-scheme: dark) { :root { --good: #4ade80; --bad: #f87171; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
table { border-collapse: collapse; width: 100%; }
th, td { border-top: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
ol { border-left: 3px solid var(--line); list-style: none; padding: 0; }
li { padding: .15rem .8rem; overflow-wrap: anywhere; } li:nth-child(odd) { background: var(--soft); }
time, code { font: .9em ui-monospace, monospace; } time { opacity: .75; white-space: nowrap; margin-right: .8rem; }
summary { cursor: pointer; }
@media (max-width: 40rem) { time { display: block; } }
"""


def text(results: Sequence[Result]) -> str:
    """Return what a terminal shows: each run, and of those that failed what happened."""
    return "\n".join(line for result in results for line in _text(result)) + "\n"


def _text(result: Result) -> Iterator[str]:
    script = result.script
    yield f"{script.name}: {script.title}"
    for n, run in enumerate(result.runs, 1):
        yield f"  run {n} of {len(result.runs)}: {_verdict(run.passed)}, {_facts(run)}"
        yield from (f"    {line}" for line in run.reasons)
        yield from (f"    turn   {failure}" for failure in run.failures)
        if not run.passed:
            yield from ("    what happened:", *(f"      {line}" for line in run.story))
    yield f"  {_sum(result)}"


def junit(results: Sequence[Result]) -> str:
    """Return JUnit XML: a suite for each scenario, a case for each expectation in each run."""
    top = ElementTree.Element("testsuites", _counts([run for result in results for run in result.runs]))
    for result in results:
        suite = ElementTree.SubElement(top, "testsuite", {"name": result.script.name, **_counts(result.runs)})
        properties = ElementTree.SubElement(suite, "properties")
        for name, value in (("seed", result.seed), ("fingerprint", " ".join(result.fingerprints)), *(
                (f"pass^{k}", f"{share:.4f}") for k, share in enumerate(result.pass_k, 1))):
            ElementTree.SubElement(properties, "property", {"name": name, "value": value})
        for n, run in enumerate(result.runs, 1):
            of = result.script.name if len(result.runs) == 1 else f"{result.script.name}.run{n}"
            for one in run.held:
                case = ElementTree.SubElement(suite, "testcase", {"classname": of, "name": one.id})
                if not one.passed:
                    ElementTree.SubElement(case, "failure", {"message": _clean(one.what)}).text = _clean(
                        "\n".join((*one.why, "", *run.story)))
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"


def _counts(runs: Sequence[Played]) -> dict[str, str]:
    return {"tests": str(sum(len(run.held) for run in runs)), "failures": str(sum(len(run.failed) for run in runs))}


def _clean(text: str) -> str:
    """Return a text without what XML 1.0 has no place for."""
    return "".join(one if one.isprintable() or one in "\n\t" else " " for one in text)


def html(results: Sequence[Result]) -> str:
    """Return one page with everything in it: what held and what did not, and the story of each run."""
    body = "\n".join(line for result in results for line in _section(result))
    return (f"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
            f"content=\"width=device-width\"><title>Scenarios</title><style>{_STYLE}</style></head>\n"
            f"<body><h1>Scenarios</h1>\n{body}\n</body></html>\n")


def _section(result: Result) -> Iterator[str]:
    script = result.script
    yield f"<section><h2>{escape(script.title)} <small><code>{script.name}</code></small></h2>"
    yield f"<p>{escape(script.about)}</p><p>{_marked(result.passed, _sum(result))}</p>"
    for n, run in enumerate(result.runs, 1):
        yield f"<h3>Run {n}: {_marked(run.passed, _verdict(run.passed))}</h3><p>{escape(_facts(run))}</p>"
        yield "<table><thead><tr><th>Expectation<th>Held<th>Why</thead><tbody>"
        for one in run.held:
            yield (f"<tr><td><code>{one.id}</code> {escape(one.what)}<td>{_marked(one.passed, 'yes', 'no')}"
                   f"<td>{'<br>'.join(map(escape, one.why))}")
        yield "</tbody></table>"
        if run.failures:
            yield "<h4>Turns that failed</h4><ul>" + "".join(f"<li>{escape(one)}" for one in run.failures) + "</ul>"
        yield f"<details{'' if run.passed else ' open'}><summary>What happened</summary><ol>"
        for line in run.story:
            yield f"<li><time>{escape(line[:19])}</time>{escape(line[19:].strip())}"
        yield "</ol></details>"
    yield "</section>"


def _marked(good: bool, text: str, otherwise: str = "") -> str:
    return f"<span class=\"{'good' if good else 'bad'}\">{escape(text if good else otherwise or text)}</span>"


def _verdict(passed: bool) -> str:
    return "passed" if passed else "failed"


def _facts(run: Played) -> str:
    score = "no score" if run.score is None else f"score {run.score:g}"
    return f"{score}, {run.turns} turns, fingerprint {run.fingerprint[:16]}"


def _sum(result: Result) -> str:
    passed, n = sum(run.passed for run in result.runs), len(result.runs)
    shares = ", ".join(f"pass^{k} {share:.2f}" for k, share in enumerate(result.pass_k, 1) if k in (1, n))
    alike = "one fingerprint" if len(result.fingerprints) == 1 else f"{len(result.fingerprints)} fingerprints"
    return f"{_verdict(result.passed)}: {passed} of {n} runs, {shares}, {alike}, seed {result.seed}"


#: What a format is made by, and the file that it is written to.
FORMATS: Mapping[str, tuple[Callable[[Sequence[Result]], str], str]] = {
    "text": (text, "report.txt"), "junit": (junit, "junit.xml"), "html": (html, "report.html")}
