from __future__ import annotations

from xml.etree import ElementTree

from benchmarks import plots
from benchmarks import summary


def make_result(tool, covered, xfailed=0):
    part = {"lines": covered, "branches": covered}
    whole = {"lines": 200, "branches": 200}
    return {
        "application": "ncs",
        "tool": tool,
        "budget": "60s",
        "revision": "abc",
        "suite": {
            "covered": part,
            "total": whole,
            "covered_with_creation": part,
            "total_with_creation": whole,
            "faults": ["ValueError ncs:1"] * xfailed,
        },
        "report": {
            "report.json": {
                "targets": {"covered": covered},
                "timeline": [{"seconds": 30.0, "evaluations": 90, "covered": covered}],
                "endpoints": [{"calls": 100}, {"calls": 200}],
            }
        },
        "seconds": 70.25,
        "peak_memory": 80,
        "first_test": 65.5,
        "written": {"modules": 2, "lines": 30 + 10 * xfailed},
        "reruns": {"passed": 5, "of": 5, "outcomes": {"passed": 3, "xfailed": xfailed}},
    }


RESULTS = [
    *(make_result("mio", covered, xfailed=1) for covered in (180, 190, 200)),
    *(make_result("random", covered) for covered in (100, 100, 100)),
]


def test_coverage_table_has_a_row_for_every_tool_with_the_seconds_of_its_command():
    lines = summary.coverage_table(RESULTS).splitlines()

    assert "| whole command (s) |" in lines[0]
    shares = "95.0 [92.5, 97.5] | 95.0 [92.5, 97.5] |"
    assert lines[2].startswith(f"| ncs | mio | 3 | 190.0 [185.0, 195.0] | {shares}")
    assert lines[3].startswith("| ncs | random | 3 | 100.0 | 50.0 | 50.0 |")
    assert lines[3].endswith("| 3.0 | 0.0 | 70.2 | 15/15 |")


def test_cost_table_has_what_each_tool_took():
    rival = {
        **make_result("schemathesis", 100),
        "session": {"requests": 500, "seconds": 50.0},
        "report": {},
        "reruns": None,
        "first_test": None,
    }
    lines = summary.cost_table([*RESULTS[:3], rival]).splitlines()

    assert lines[2] == "| ncs | mio | 3.0 | 10.0 | 80.0 | 65.5 | 10.0 |"
    assert lines[3] == "| ncs | schemathesis | - | 10.0 | 80.0 | - | - |"


def test_comparison_table_compares_with_the_references():
    rows = summary.comparison_table(RESULTS).splitlines()[2:]

    assert len(rows) == 1
    assert rows[0].startswith("| ncs | mio against random | 0.100 | 1.00 |")


def test_extensions_are_compared_with_what_they_extend():
    assert summary.pairs(["lt-mosa", "mosa", "random"]) == [
        ("lt-mosa", "random"),
        ("mosa", "random"),
        ("lt-mosa", "mosa"),
    ]


def test_curves_are_drawn_for_every_tool():
    drawn = plots.curves("Targets", summary.collect_curves(RESULTS))

    root = ElementTree.fromstring(drawn)
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2
    # Nothing before 30 s, everything at the end of the axis.
    first = lines[0].attrib["points"].split()
    assert first[0].endswith(",230.0")
    assert first[-1] == "310.0,87.5"


def test_one_tool_alone_is_compared_with_nothing():
    assert summary.comparison_table(RESULTS[:3]) == ""


def test_page_links_the_plots_and_says_how_to_reproduce(tmp_path):
    files = summary.write(RESULTS, tmp_path, "python -m benchmarks.run")

    page = files[0].read_text(encoding="utf-8")
    assert [path.name for path in files] == [
        "README.md",
        "lines-60s.svg",
        "branches-60s.svg",
        "targets-60s.svg",
    ]
    assert "(lines-60s.svg)" in page
    assert "    python -m benchmarks.run\n" in page
    assert "Revision abc" in page


def test_no_results_no_files(tmp_path):
    assert summary.write([], tmp_path / "tables", "") == []
    assert not (tmp_path / "tables").exists()


def test_plot_is_well_formed_and_has_a_dot_for_every_value():
    root = ElementTree.fromstring(plots.strips("a < b", {"ncs": {"mio": [1, 50], "random": [3]}}))

    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}circle")) == 3
    labels = [element.text for element in root.findall(f"{space}text")]
    assert {f"a < b{plots.KEY}", "ncs mio", "ncs random"} <= set(labels)


def test_tool_that_writes_no_tests_has_dashes():
    rival = make_result("schemathesis", 50)
    del rival["report"], rival["reruns"]

    row = summary.coverage_table([rival]).splitlines()[2]

    assert row == "| ncs | schemathesis | 1 | - | - | 25.0 | 25.0 | 25.0 | - | 0.0 | 70.2 | - |"
    table = summary.comparison_table([*RESULTS, rival]).splitlines()
    (cells,) = [row.split(" | ") for row in table if "schemathesis against mio" in row]
    assert cells[2:6] == ["-", "-", "-", "-"]


def test_what_has_no_curve_has_no_place_among_the_curves():
    rival = {**make_result("schemathesis", 50), "application": "scs", "report": {}}

    assert list(summary.collect_curves([*RESULTS, rival])) == ["ncs"]
