#!/usr/bin/env python3
"""Unpacks each artefact that release/build.py made into an empty folder, and uses it.

    python3 release/check.py OUT

An artefact that does not work is an error. An artefact that is not there, and a check whose tool is missing, are named at the end.
"""

import argparse
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import urllib.request

from build import PACKAGE, SBOM, SUMS, TOP, VERSION, artefacts, sha256

TEXT = "we met angela merkel in lisbon\n"
RESTORED = "We met Angela Merkel in Lisbon.\n"
MARKS = ["restore", "--marks"]


class Skipped(Exception):
    """A check cannot be made here."""


def run(*command, text=TEXT, cwd=None, env=None):
    """Runs a command without the variables that would help it to find other builds, and returns its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAJUSCULE", "PYTHON", "LD_", "NODE_"))}
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", cwd=cwd, env={**kept, **(env or {})})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: found {found!r}, expected {expected!r}")


def need(tool):
    found = shutil.which(tool)
    if not found:
        raise Skipped(f"no {tool} here")
    return found


def only(out, pattern):
    """Returns the one artefact of a pattern."""
    found = glob.glob(os.path.join(out, pattern))
    if not found:
        raise Skipped(f"no {pattern} in {out}")
    expect(len(found), 1, f"files {pattern}")
    return os.path.abspath(found[0])


def unpacked(archive, folder):
    """Unpacks an archive and returns the one folder in it."""
    with tarfile.open(archive) as tar:
        times = {member.mtime for member in tar}
        expect(len(times), 1, f"dates in {archive}")
        tar.extractall(folder, filter="data")
    (name,) = os.listdir(folder)
    return os.path.join(folder, name)


def restores(program):
    expect(run(program, *MARKS), RESTORED, program)
    expect(run(program, "--version"), f"majuscule {VERSION}\n", program)


def check_sums(out, folder):
    with open(os.path.join(out, SUMS), encoding="utf-8") as file:
        sums = dict(reversed(line.rstrip("\n").split("  ", 1)) for line in file)
    expect(sorted(sums), artefacts(out), f"names in {SUMS}")
    for name, found in sums.items():
        expect(sha256(os.path.join(out, name)), found, name)
    return f"{len(sums)} files"


def program_of(out, folder):
    """Unpacks the archive of the program and returns its folder."""
    return unpacked(only(out, f"majuscule-{VERSION}-*-*-*.tar.gz"), folder)


def program_in(where):
    return os.path.join(where, "majuscule.exe" if os.name == "nt" else "majuscule")


def check_program(out, folder):
    where = program_of(out, folder)
    program = program_in(where)
    restores(program)
    pages = glob.glob(os.path.join(where, "man", "*.1"))
    expect(len(pages) > 5 and all(os.path.getsize(page) > 500 for page in pages), True, "manual pages")
    expect(len(os.listdir(os.path.join(where, "completions"))), 5, "completions")
    if shutil.which("bash"):
        run("bash", "-n", os.path.join(where, "completions", "majuscule.bash"))
    with open(program, "rb") as file:
        expect(os.getcwd().encode() in file.read(), False, "paths of this machine in the program")
    return f"restores; {linking(program)}"


def linking(program):
    """Says what the system has to bring."""
    if not shutil.which("ldd"):
        return "no ldd here: what is dynamic was not looked at"
    found = subprocess.run(["ldd", program], capture_output=True, encoding="utf-8")
    if "statically linked" in found.stdout or "not a dynamic executable" in found.stderr:
        return "static"
    if sys.platform == "linux":
        raise AssertionError(f"the program is dynamic: {found.stdout}")
    return found.stdout.strip()


def check_container(out, folder):
    """Runs the command of the Dockerfile in a folder that has nothing but the program."""
    recipe = only(out, "Dockerfile")
    with open(recipe, encoding="utf-8") as file:
        text = file.read()
    archive = re.search(r"^ADD (\S+) ", text, re.MULTILINE)[1]
    expect(os.path.exists(os.path.join(out, archive)), True, f"the archive {archive} of the Dockerfile")
    entry, command = (json.loads(re.search(rf"^{word} (\[.*\])$", text, re.MULTILINE)[1]) for word in ["ENTRYPOINT", "CMD"])
    if sys.platform != "linux" or os.geteuid() != 0:
        raise Skipped("only root on Linux may change the root folder")
    root = os.path.join(folder, "root")
    for name in ["usr/bin", "tmp", "run/secrets", "models"]:
        os.makedirs(os.path.join(root, name))
    os.chmod(os.path.join(root, "tmp"), 0o1777)
    shutil.copy(os.path.join(program_of(out, os.path.join(folder, "archive")), "majuscule"), os.path.join(root, "usr/bin"))
    with open(os.path.join(root, "run/secrets/token"), "w", encoding="utf-8") as file:
        file.write("secret-of-the-check\n")
    for at, _, names in os.walk(root):
        os.chmod(at, os.stat(at).st_mode | 0o555)
        for name in names:
            os.chmod(os.path.join(at, name), 0o555)
    os.chmod(folder, 0o755)
    # A free port, so that a service of somebody else is left alone.
    command = ["127.0.0.1:0" if word == "0.0.0.0:8080" else word for word in command]

    def enter():
        os.chroot(root)
        os.chdir("/")
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    options = {"preexec_fn": enter, "env": {"MAJUSCULE_MODELS": "/models"}}
    served = subprocess.Popen([*entry, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", **options)
    # A service that says nothing ends.
    patience = threading.Timer(60, served.kill)
    patience.start()
    try:
        said = ""
        while not (found := re.search(r"http://[0-9.]+:[0-9]+", said)):
            line = served.stdout.readline()
            if not line:
                raise AssertionError(f"the service ended: {said}")
            said += line
        headers = {"Authorization": "Bearer secret-of-the-check", "Content-Type": "text/plain"}
        request = urllib.request.Request(f"{found[0]}/v1/restore?marks=true", TEXT.encode(), headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            expect(answer.read().decode(), RESTORED, "the service")
        served.send_signal(signal.SIGTERM)
        expect(served.wait(30), 0, "the exit status of the service")
    finally:
        patience.cancel()
        served.kill()
        served.wait()
    return "the command of the Dockerfile serves in an empty root folder; the image itself was not built"


def check_deb(out, folder):
    package = only(out, "majuscule_*.deb")
    need("dpkg-deb")
    run("dpkg-deb", "--extract", package, folder)
    restores(os.path.join(folder, "usr/bin/majuscule"))
    listed = run("dpkg-deb", "--contents", package)
    for name in ["man/man1/majuscule.1.gz", "bash-completion/completions/majuscule", "doc/majuscule/copyright"]:
        expect(f"./usr/share/{name}" in listed, True, name)
    expect("root/root" in listed and not re.search(r" (?!root/root)\w+/\w+ ", listed), True, "owners")
    expect(run("dpkg-deb", "--field", package, "Version").strip(), VERSION, "the version")
    return "unpacked with dpkg-deb; restores"


def check_c(out, folder):
    where = unpacked(only(out, f"majuscule-c-{VERSION}-*.tar.gz"), folder)
    compiler, config = need("cc"), need("pkg-config")
    env = {"PKG_CONFIG_PATH": os.path.join(where, "lib", "pkgconfig")}
    expect(run(config, "--modversion", "majuscule", env=env).strip(), VERSION, "the version")
    source, program = os.path.join(where, "hello.c"), os.path.join(where, "hello")
    flags = run(config, "--cflags", "--libs", "majuscule", env=env).split()
    run(compiler, source, *flags, "-o", program)
    hello = "Where did you meet Angela Merkel?\n"
    library = os.path.join(where, "lib")
    expect(run(program, env={"LD_LIBRARY_PATH": library, "DYLD_LIBRARY_PATH": library}), hello, "with the shared library")
    flags = run(config, "--cflags", "--libs", "--static", "majuscule", env=env).split()
    rest = [flag for flag in flags if flag != "-lmajuscule"]
    run(compiler, source, *rest[:1], os.path.join(library, "libmajuscule.a"), *rest[1:], "-o", program)
    expect(run(program), hello, "with the static library")
    return "a C program compiled with pkg-config runs, shared and static"


def check_models(out, folder):
    models = sorted(glob.glob(os.path.join(out, "models", "*.md")))
    if not models:
        raise Skipped(f"no models in {out}")
    program = program_in(program_of(out, folder))
    for card in models:
        model = card.removesuffix(".md")
        with open(card, encoding="utf-8") as file:
            text = file.read()
        expect(sha256(model) in text, True, f"the checksum in {card}")
        for heading in ["Texts and licences", "Figures", "Limits", "Manifest"]:
            expect(f"\n## {heading}\n\n" in text, True, f"{heading} in {card}")
        expect(re.search(r"\n## Texts and licences\n\n+## ", text), None, f"texts in {card}")
        tag = os.path.basename(model).split(".")[0]
        lang = "es" if tag == "multilingual" else tag
        with open(os.path.join(TOP, "examples", f"{lang}.txt"), encoding="utf-8") as file:
            example = file.read()
        restored = run(program, "restore", "--model", os.path.abspath(model), "--lang", lang, text=example)
        expect((restored.lower(), restored != example), (example.lower(), True), f"{model}: the example with other capitals")
    return f"{len(models)} models with cards; each restores"


def check_sbom(out, folder):
    with open(only(out, SBOM), encoding="utf-8") as file:
        bill = json.load(file)
    expect((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"), "the form")
    names = {component["name"] for component in bill["components"]}
    expect({"majuscule", "majuscule-methods", "clap", "axum", "serde"} - names, set(), "crates that are missing")
    expect({"proptest", "divan", "candle-core"} & names, set(), "crates that are not in the program")
    for component in bill["components"]:
        expect(component["purl"], f"pkg:cargo/{component['name']}@{component['version']}", "the address of a package")
        expect(bool(component["licenses"][0]["expression"]), True, f"the licence of {component['name']}")
    refs = {component["bom-ref"] for component in [*bill["components"], bill["metadata"]["component"]]}
    expect({ref for node in bill["dependencies"] for ref in [node["ref"], *node["dependsOn"]]} - refs, set(), "references")
    return f"{len(names)} crates"


def check_formula(out, folder):
    with open(only(out, "majuscule.rb"), encoding="utf-8") as file:
        text = file.read()
    archives = [path for path in glob.glob(os.path.join(out, f"majuscule-{VERSION}-*-*-*.tar.gz")) if "windows" not in path]
    for path in archives:
        expect(f'/{os.path.basename(path)}"' in text and sha256(path) in text, True, f"address and checksum of {path}")
    expect(re.findall("@[A-Z]+@", text), [], "placeholders")
    parsed = "ruby parses it" if run_ruby(out) else "no ruby here to parse it"
    if "repository" not in PACKAGE:
        raise Skipped(f"the formula has no address, since Cargo.toml has no `repository`; {parsed}")
    return f"has the checksums of {len(archives)} archives; {parsed}"


def run_ruby(out):
    return shutil.which("ruby") and run("ruby", "-c", os.path.join(out, "majuscule.rb"))


def check_wheel(out, folder):
    wheel = only(out, f"majuscule-{VERSION}-*.whl")
    environment = os.path.join(folder, "env")
    run(sys.executable, "-m", "venv", environment)
    binaries = os.path.join(environment, "Scripts" if os.name == "nt" else "bin")
    python = os.path.join(binaries, "python")
    networks = glob.glob(os.path.join(out, f"majuscule_networks-{VERSION}-*.whl"))
    run(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel, *map(os.path.abspath, networks))
    code = "import sys, majuscule; m = majuscule.load('en'); sys.stdout.write(m.restore(sys.stdin.read(), marks=True))"
    expect(run(python, "-c", code, cwd=folder), RESTORED, "the package")
    restores(os.path.join(binaries, "majuscule"))
    if networks:
        best = run(os.path.join(binaries, "majuscule"), *MARKS, "--preset", "best", cwd=folder)
        expect(best, RESTORED, "the networks")
    return "installed in an empty environment; the package and its program restore" + (", and the networks" if networks else "")


def check_sdist(out, folder):
    archive = only(out, f"majuscule-{VERSION}.tar.gz")
    with tarfile.open(archive) as tar:
        names = {member.name.split("/", 1)[-1] for member in tar}
        tar.extractall(folder, filter="data")
    for name in ["PKG-INFO", "pyproject.toml", "Cargo.lock", "python/Cargo.toml", "lm/en.accurate", "majuscule/__init__.py"]:
        expect(name in names, True, f"{name} in the sdist")
    expect([name for name in names if name.endswith(".best") or "/target/" in name], [], "files that do not belong there")
    (top,) = os.listdir(folder)
    manifest = os.path.join(folder, top, "python", "Cargo.toml")
    run("cargo", "metadata", "--format-version", "1", "--offline", "--locked", "--no-deps", "--manifest-path", manifest)
    return f"{len(names)} files; cargo reads the packages in it, which were not compiled"


def check_npm(out, folder):
    archive = only(out, f"majuscule-{VERSION}.tgz")
    npm, node = need("npm"), need("node")
    with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as file:
        file.write('{"type": "module", "private": true}\n')
    run(npm, "install", "--silent", "--offline", "--no-audit", "--no-fund", archive, cwd=folder)
    code = """import { load } from "majuscule";
import { readFileSync } from "node:fs";
process.stdout.write((await load("en")).restore(readFileSync(0, "utf8"), { marks: true }));"""
    expect(run(node, "--input-type=module", "-e", code, cwd=folder), RESTORED, "the package")
    return "installed in an empty folder; restores in Node"


CHECKS = {name.removeprefix("check_"): function for name, function in list(globals().items()) if name.startswith("check_")}


def main():
    parser = argparse.ArgumentParser(description="Uses each artefact of a release.")
    parser.add_argument("out", help="the folder that release/build.py filled")
    out = parser.parse_args().out
    skipped, failed = [], []
    for name, check in CHECKS.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(f"{name}: {check(out, folder)}", flush=True)
            except Skipped as reason:
                skipped.append(f"{name}: {reason}")
                print(f"SKIPPED {skipped[-1]}", flush=True)
            # A broken artefact may break anything that reads it.
            except Exception as error:
                failed.append(f"{name}: {type(error).__name__}: {error}")
                print(f"FAILED {failed[-1]}", flush=True)
    for title, lines in [("SKIPPED", skipped), ("FAILED", failed)]:
        if lines:
            print(f"\n{title}:", *lines, sep="\n  ")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
