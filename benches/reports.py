#!/usr/bin/env python3
"""Makes the reports in docs/reports again: python3 benches/reports.py CORPORA [--only NAME ...] [--with NAME=VALUE ...]

    python3 benches/reports.py --check     # the versions of results; needs neither texts nor the program

Three kinds of reports, by the names that --only takes:

- quality: the results of benches/quality.py, also for the README's table of quality (--with MODELS=beside adds the models in the folder `beside`).
- the name of a recipe, such as small or batista-2007-table-6: the tables that `majuscule experiment run` writes. A recipe that needs a file, such
  as an encoder, runs with --with encoder=FOLDER and is skipped without this option.
- NAME/SECTION, such as size/sizes or speed/restoring: a section of docs/reports/NAME.md whose indented lines are scripts or benchmarks. Their output
  replaces the text after them. A word in capitals stands for a value: --with TEXT=europarl.txt. A section is skipped if a value is missing. Tables
  made from several trainings of hours show their commands, but no script makes them.

Without --only the script makes all reports that it can. --list prints the names. Models and answers of experiments are kept in target/reports, so an
interrupted run continues. Needs only Python 3; run it from the top folder with the program built, or named by the variable MAJUSCULE.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
REPORTS = TOP / "docs/reports"
MAJUSCULE = os.environ.get("MAJUSCULE", str(TOP / "target/dist/majuscule"))
# The commands that print tables.
MEASURES = r"python3 benches/|MAJUSCULE_BENCH_TEXT=TEXT cargo bench "
README_TABLE = "| language | test set |"
# The plots that are kept beside the tables of a recipe.
PLOTS = {
    "look-ahead": "look-ahead-1-*.svg",
    "look-ahead-encoder": "look-ahead-1-*.svg",
    "matrix": "model-speed-5-news.svg",
    "recognisers": "word-error-rate.svg",
    "rei-2020-figure-2": "training-size-1-*.svg",
    "rei-2020-mpnet": "layers.svg",
    "rei-2020-table-9": "layers.svg",
}


def say(message):
    print(f"reports.py: {message}", file=sys.stderr, flush=True)


def quality(values):
    script = [sys.executable, str(TOP / "benches/quality.py"), values["CORPORA"]]
    for rows in [[values["MODELS"]] if "MODELS" in values else [], ["marks"], ["lines"]]:
        subprocess.run([*script, *rows, "--report", str(REPORTS)], check=True, cwd=TOP)
    readme = TOP / "README.md"
    report = (REPORTS / "quality.md").read_text(encoding="utf-8")
    text = readme.read_text(encoding="utf-8")
    readme.write_text(text.replace(table(text), table(report)), encoding="utf-8")


def table(text):
    """Returns the README's table of quality, as it stands in a document."""
    return re.search(re.escape(README_TABLE) + r".*\n(?:\|.*\n)+", text).group()


def recipes():
    """Returns the recipes inside the program, each with the names of the files that it needs."""
    listed = subprocess.run([MAJUSCULE, "experiment", "list"], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in listed.splitlines():
        need = re.match(r"\s+needs --with (\w+)=", line)
        if need:
            found[name].append(need.group(1))
        else:
            name = line.split()[0]
            found[name] = []
    return found


def experiment(name, needs, values):
    missing = [need for need in needs if need not in values]
    if missing:
        return say(f"{name} is skipped: it needs --with {missing[0]}=PATH")
    folder = TOP / "target/reports" / name
    command = [MAJUSCULE, "experiment", "run", name, "--corpora", values["CORPORA"], "--long"]
    command += [f"--with={need}={values[need]}" for need in needs]
    subprocess.run([*command, "--cache", str(TOP / "target/reports/cache"), "-o", str(folder)], check=True, cwd=TOP)
    if name != "small":
        shutil.copyfile(folder / "tables.md", REPORTS / f"{name}.md")
        if name in PLOTS:
            shutil.copyfile(next(folder.glob(PLOTS[name])), REPORTS / f"{name}.svg")
        return
    # The one report that is kept with all its files, as an example.
    for file in folder.iterdir():
        if file.suffix in (".md", ".html", ".svg"):
            shutil.copyfile(file, REPORTS / name / file.name)


def sections():
    """Returns the sections with commands by name: the file, and the place of the section in it."""
    found = {}
    for path in sorted(REPORTS.glob("*.md")):
        for part in re.finditer(r"^## (.*)\n(?:(?!^## ).*\n)*", path.read_text(encoding="utf-8"), re.MULTILINE):
            lines = commands(part.group())
            if path.stem != "quality" and lines and all(re.match(MEASURES, line) for line in lines):
                found[f"{path.stem}/{part.group(1).lower().replace(' ', '-')}"] = (path, part.group())
    return found


def commands(section):
    return re.findall(r"^    (\S.*)$", section, re.MULTILINE)


def section(name, path, old, values):
    lines = commands(old)
    missing = [word for line in lines for word in places(line) if word not in values]
    if missing:
        return say(f"{name} is skipped: it needs --with {missing[0]}=VALUE")
    outputs = []
    for line in lines:
        filled = re.sub(PLACE, lambda place: values[place.group()], line)
        filled = re.sub(r"^majuscule\b", lambda _: MAJUSCULE, filled)
        output = subprocess.run(["bash", "-c", filled], check=True, cwd=TOP, stdout=subprocess.PIPE, text=True).stdout
        outputs.append(as_markdown(output))
    head = old[: old.rindex(f"    {lines[-1]}\n")] + f"    {lines[-1]}\n"
    new = head + "".join(f"\n{output}\n" for output in outputs if output) + "\n"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new).rstrip("\n") + "\n", encoding="utf-8")


PLACE = r"\b(?!MAJUSCULE_)[A-Z][A-Z_]+\b(?!=)"


def places(line):
    return re.findall(PLACE, line)


def as_markdown(output):
    """Returns tables as they are, and other output as a block of text."""
    output = output.strip("\n")
    return output if not output or re.search(r"^\| ---", output, re.MULTILINE) else f"```text\n{output}\n```"


# What a report says of its version of results: in the signature of a test, and in columns.
SIGNED = re.compile(r"^`protocol:.*\|(?:results:(?P<results>\d+)|version:[\d.]+)`$", re.MULTILINE)
COLUMN = "version of results"
OLD_LIST = "## Reports without the current version"


def versions(text):
    """Returns the versions of results that a report names; None stands for a signature or a row without one."""
    found = {match["results"] and int(match["results"]) for match in SIGNED.finditer(text)}
    at = None
    for row in text.splitlines():
        cells = [cell.strip() for cell in row.split("|")]
        if COLUMN in cells:
            at = cells.index(COLUMN)
        elif not row.startswith("|"):
            at = None
        elif at is not None and cells[1] != "in the source" and not cells[at].startswith("--"):
            found.add(int(cells[at]) if cells[at].isdigit() else None)
    return found


def check():
    """Returns what is wrong with the versions of results in the reports."""
    current = int(re.search(r"RESULTS_VERSION: u32 = (\d+);", (TOP / "crates/train/src/lib.rs").read_text(encoding="utf-8"))[1])
    page = (REPORTS / "README.md").read_text(encoding="utf-8")
    history, _, listed = page.partition(OLD_LIST)
    old = set(re.findall(r"\]\(([\w./-]+\.md)\)", listed))
    errors = [f"README.md: version {n} of results has no row" for n in range(1, current + 1) if not re.search(rf"^\| {n} \|", history, re.MULTILINE)]
    # The reports of recipes, and those that name a version.
    made = {f"{recipe.stem}.md" for recipe in (TOP / "crates/experiment/src/recipes").glob("*.toml") if recipe.stem != "small"}
    made |= {"quality.md", "small/tables.md"}
    pages = {path.relative_to(REPORTS).as_posix(): path.read_text(encoding="utf-8") for path in REPORTS.glob("**/*.md")}
    for name, text in sorted(pages.items()):
        found = versions(text)
        if name not in made and not found:
            continue
        if len(found) > 1:
            errors.append(f"{name}: one report has the versions of results {sorted(str(version) for version in found)}: make it again")
        elif found != {current} and name not in old:
            errors.append(f"{name}: the report is not of version {current} of results: make it again, or list it in README.md until then")
        elif found == {current} and name in old:
            errors.append(f"README.md: {name} is of version {current}: take it from the list")
    errors += [f"README.md: there is no report {name}" for name in sorted(old - pages.keys())]
    errors += [f"{name}: the recipe has no report" for name in sorted(made - pages.keys())]
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog="The head of the script says more.")
    parser.add_argument("corpora", nargs="?", help="the folder of corpora")
    parser.add_argument("--check", action="store_true", help="check the versions of results in the reports")
    parser.add_argument("--only", nargs="+", help="the reports to make (all that can be)")
    parser.add_argument("--with", dest="values", nargs="+", default=[], metavar="NAME=VALUE", help="what reports need beside")
    parser.add_argument("--list", action="store_true", help="print the names of reports")
    options = parser.parse_args()
    if options.check:
        return sys.exit("\n".join(f"reports.py: {error}" for error in check()) or None)
    if options.corpora is None:
        parser.error("the folder of corpora is missing")
    values = dict(value.split("=", 1) for value in options.values)
    values["CORPORA"] = os.path.abspath(options.corpora)
    made = {"quality": lambda: quality(values)}
    made |= {name: lambda name=name, needs=needs: experiment(name, needs, values) for name, needs in recipes().items()}
    # A recipe writes its whole report.
    parts = {name: at for name, at in sections().items() if at[0].stem not in made}
    made |= {name: lambda name=name, at=at: section(name, *at, values) for name, at in parts.items()}
    if options.list:
        return print("\n".join(made))
    for name in options.only or made:
        if name not in made:
            sys.exit(f"reports.py: there is no report {name}: --list prints the names")
        made[name]()


if __name__ == "__main__":
    main()
