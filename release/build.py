#!/usr/bin/env python3
"""Makes the artefacts of a release in an empty folder, without the network.

    python3 release/build.py OUT                              # all of them
    python3 release/build.py OUT --only program deb sbom      # some of them, beside those that are in OUT
    python3 release/build.py OUT --profile dev                # a trial: builds quickly, and makes a slow program
    python3 release/build.py OUT --report docs/reports        # writes artefacts.md there

Each part is made with a tool; if the tool is missing, the part is named and left out, and the exit status is 3. `release/check.py OUT`
uses each artefact. The dates in archives are SOURCE_DATE_EPOCH, by default the date of the last commit, and no program has a path of the
machine that made it.

| part | tools |
| --- | --- |
| program | cargo; on Linux it is static: with musl, if rustup has the target and musl-gcc is there, otherwise with the libc of this machine |
| deb | dpkg-deb |
| c | cargo |
| models, sbom, recipes | the program; cargo; the archive of the program |
| wheel, sdist | maturin, as a program or a module of this Python; wheels for older systems also need the module ziglang |
| networks | pip and setuptools |
| npm | Node, npm, a compiler for WebAssembly (npm/rust.sh) |
"""

import argparse
import datetime
import glob
import gzip
import hashlib
import importlib.metadata
import importlib.util
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import uuid

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = ["program", "deb", "c", "models", "sbom", "recipes", "wheel", "sdist", "networks", "npm"]
SUMS = "SHA256SUMS"
REPORT = "artefacts.md"
# The features of the program that is released, beside the default ones.
FEATURES = "service"


class Missing(Exception):
    """A tool that a part needs is not here."""


def read(*path):
    """Returns the text of a file of the repository."""
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def run(*command, env=None, cwd=TOP):
    """Runs a command, whose output is that of this script."""
    print("+", *command, file=sys.stderr, flush=True)
    subprocess.run(command, check=True, cwd=cwd, env={**os.environ, **(env or {})}, stdout=sys.stderr)


def output(*command):
    """Returns the output of a command."""
    return subprocess.run(command, check=True, cwd=TOP, capture_output=True, encoding="utf-8").stdout


def need(tool, why):
    """Returns the path of a program."""
    found = shutil.which(tool)
    if not found:
        raise Missing(f"no {tool} here, which {why}")
    return found


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


MANIFEST = tomllib.loads(read("Cargo.toml"))
PACKAGE = MANIFEST["workspace"]["package"]
VERSION = PACKAGE["version"]
DESCRIPTION = MANIFEST["package"]["description"]


def check_versions():
    """Ends the script if a document or a package has another version."""
    versions = {
        "npm/package.json": json.loads(read("npm", "package.json"))["version"],
        "python/networks/pyproject.toml": tomllib.loads(read("python", "networks", "pyproject.toml"))["project"]["version"],
        "CHANGELOG.md": re.findall(r"^## \[([0-9.]+)\] - [0-9-]+$", read("CHANGELOG.md"), re.MULTILINE)[0],
    }
    wrong = [f"{file} has the version {found}, and Cargo.toml {VERSION}" for file, found in versions.items() if found != VERSION]
    if wrong:
        sys.exit("\n".join(wrong))


class Release:
    """The folder of artefacts, and what all parts share."""

    def __init__(self, out, profile):
        self.out = out
        self.profile = profile
        self.epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))
        # For tools that pack: cargo would compile C code, and all that needs it, anew for each date.
        self.dates = {"SOURCE_DATE_EPOCH": str(self.epoch)}
        self.host = re.search(r"^host: (.*)$", output("rustc", "-vV"), re.MULTILINE)[1]
        self.target = self.static_target() or self.host
        self.build_folder = os.path.abspath(os.environ.get("CARGO_TARGET_DIR", os.path.join(TOP, "target")))

    def static_target(self):
        """Returns the target with musl, if this machine has all of it."""
        if not self.host.endswith("-linux-gnu"):
            return None
        musl = self.host.replace("-gnu", "-musl")
        sysroot = output("rustc", "--print", "sysroot").strip()
        has_library = os.path.isdir(os.path.join(sysroot, "lib", "rustlib", musl))
        if has_library and shutil.which("musl-gcc"):
            return musl
        print(f"program: no {musl} here (rustup target add {musl}, and musl-gcc): the program is static with glibc")
        return None

    def path(self, *names):
        return os.path.join(self.out, *names)

    def built(self, target, *names):
        """Returns the path of a file that cargo has made."""
        folder = "debug" if self.profile == "dev" else self.profile
        return os.path.join(self.build_folder, target, folder, *names)

    def program(self):
        """Returns the path of the program."""
        name = "majuscule.exe" if "windows" in self.target else "majuscule"
        path = self.built(self.target, name)
        if not os.path.exists(path):
            raise Missing("the part `program` has not been made")
        return path

    def archive_name(self):
        return f"majuscule-{VERSION}-{self.target}"

    def flags(self, *flags):
        """Returns the environment of a compiler: no file gets a path of this machine."""
        registry = os.path.join(os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo")), "registry", "src")
        flags = [*flags, "-Cstrip=symbols", f"--remap-path-prefix={TOP}=majuscule", f"--remap-path-prefix={registry}=registry"]
        return {"RUSTFLAGS": " ".join(flags), "CARGO_TARGET_DIR": self.build_folder}

    def cargo(self, command, *options, flags=(), target=None):
        """Runs cargo with the profile for a target."""
        fixed = ["--locked", "--offline", "--profile", self.profile, "--target", target or self.target]
        run("cargo", command, *fixed, *options, env=self.flags(*flags))

    def pack(self, folder, name):
        """Packs a folder into NAME.tar.gz: sorted, owned by root, with the date of the release."""

        def plain(member):
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.mtime = self.epoch
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            return member

        path = self.path(f"{name}.tar.gz")
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=self.epoch) as packed:
            with tarfile.open(mode="w", fileobj=packed, format=tarfile.GNU_FORMAT) as tar:
                tar.add(folder, name, recursive=False, filter=plain)
                for at, folders, files in os.walk(folder):
                    folders.sort()
                    for entry in sorted(files + folders):
                        inside = os.path.join(at, entry)
                        member = os.path.join(name, os.path.relpath(inside, folder)).replace(os.sep, "/")
                        tar.add(inside, member, recursive=False, filter=plain)
        return path

    def licences(self, folder):
        for name in ["LICENSE-APACHE", "LICENSE-MIT"]:
            shutil.copy(os.path.join(TOP, name), folder)


# ---- the program ----


def make_program(release, folder):
    static = ["-Ctarget-feature=+crt-static"] if "linux" in release.target else []
    release.cargo("build", "-p", "majuscule-cli", "--features", FEATURES, flags=static)
    folder = os.path.join(folder, release.archive_name())
    os.makedirs(folder)
    shutil.copy(release.program(), folder)
    release.licences(folder)
    for name in ["README.md", "CHANGELOG.md"]:
        shutil.copy(os.path.join(TOP, name), folder)
    shutil.copy(os.path.join(TOP, "lm", "README.md"), os.path.join(folder, "MODELS.md"))
    run(release.program(), "man", "-o", os.path.join(folder, "man"))
    for shell in SHELLS:
        write(os.path.join(folder, "completions", SHELLS[shell]), output(release.program(), "completions", shell))
    release.pack(folder, release.archive_name())


SHELLS = {"bash": "majuscule.bash", "fish": "majuscule.fish", "zsh": "_majuscule", "powershell": "majuscule.ps1", "elvish": "majuscule.elv"}
# Where Debian's shells look for completions.
DEBIAN_SHELLS = {
    "bash": "bash-completion/completions/majuscule",
    "fish": "fish/vendor_completions.d/majuscule.fish",
    "zsh": "zsh/vendor-completions/_majuscule",
}


def make_deb(release, folder):
    need("dpkg-deb", "makes packages of Debian")
    if "linux" not in release.target:
        raise Missing(f"a package of Debian is for Linux, and not for {release.target}")
    architecture = output("dpkg", "--print-architecture").strip()
    root = os.path.join(folder, "deb")
    share = os.path.join(root, "usr", "share")
    os.makedirs(os.path.join(root, "usr", "bin"))
    shutil.copy(release.program(), os.path.join(root, "usr", "bin", "majuscule"))
    pages = os.path.join(share, "man", "man1")
    run(release.program(), "man", "-o", pages)
    for page in sorted(os.listdir(pages)):
        compress(os.path.join(pages, page))
    for shell, path in DEBIAN_SHELLS.items():
        write(os.path.join(share, path), output(release.program(), "completions", shell))
    doc = os.path.join(share, "doc", "majuscule")
    write(os.path.join(doc, "copyright"), copyright_file())
    write(os.path.join(doc, "changelog"), read("CHANGELOG.md"))
    compress(os.path.join(doc, "changelog"))
    size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(root) for name in names)
    control = f"""Package: majuscule
Version: {VERSION}
Architecture: {architecture}
Maintainer: The majuscule authors
Installed-Size: {-(-size // 1024)}
Section: text
Priority: optional
Description: {DESCRIPTION[0].lower() + DESCRIPTION[1:]}
 The program restores transcripts of speech recognisers, subtitles and text,
 trains and measures models, and has an HTTP service. The models of seven
 languages are inside.
"""
    write(os.path.join(root, "DEBIAN", "control"), control)
    for at, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(at, name)
            os.chmod(path, 0o755 if os.path.isdir(path) or path.endswith("bin/majuscule") else 0o644)
            os.utime(path, (release.epoch, release.epoch))
    run("dpkg-deb", "-Zxz", "--root-owner-group", "--build", root, release.path(f"majuscule_{VERSION}_{architecture}.deb"), env=release.dates)


def compress(path):
    """Compresses a file as Debian asks for: without its name and time."""
    with open(path, "rb") as plain, open(f"{path}.gz", "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(plain.read())
    os.remove(path)


def copyright_file():
    """Returns the file of licences of the package of Debian."""
    paragraph = lambda text: "\n".join(f" {line}".rstrip() or " ." for line in text.strip().splitlines())
    return f"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: majuscule

Files: *
Copyright: The majuscule authors
License: MIT or Apache-2.0
Comment: The models inside were trained on text under other licences, which the table below names.
 The program contains libraries of Rust, which the file {SBOM} of the release lists with their
 licences, and the C library of the machine that built it.

License: MIT
{paragraph(read("LICENSE-MIT"))}

License: Apache-2.0
 On Debian systems, the full text is in /usr/share/common-licenses/Apache-2.0.

Files: usr/bin/majuscule
Copyright: the authors of the texts
License: those of the models
{paragraph(table_after("| models | text of `fast`"))}
"""


# ---- the library for C ----


def make_c(release, folder):
    # A shared library cannot be static: it is for the libc of this machine.
    target, shared = release.host, "majuscule.dll"
    flags = []
    if "linux" in target:
        # Before 1.0, programs need the minor version that they were linked with.
        soname = f"libmajuscule.so.{'.'.join(VERSION.split('.')[:2])}"
        shared, flags = f"libmajuscule.so.{VERSION}", ["--", f"-Clink-arg=-Wl,-soname,{soname}"]
    elif "apple" in target:
        shared, flags = "libmajuscule.dylib", ["--", "-Clink-arg=-Wl,-install_name,@rpath/libmajuscule.dylib"]
    release.cargo("rustc", "-p", "majuscule-c", "--lib", *flags, target=target)
    name = f"majuscule-c-{VERSION}-{target}"
    folder = os.path.join(folder, name)
    for part in ["include", "lib/pkgconfig"]:
        os.makedirs(os.path.join(folder, part))
    shutil.copy(os.path.join(TOP, "crates/c/include/majuscule.h"), os.path.join(folder, "include"))
    shutil.copy(os.path.join(TOP, "crates/c/examples/hello.c"), folder)
    release.licences(folder)
    library = os.path.join(folder, "lib")
    made = "libmajuscule.so" if "linux" in target else shared
    shutil.copy(release.built(target, made), os.path.join(library, shared))
    if "windows" in target:
        shutil.copy(release.built(target, "majuscule.dll.lib"), library)
        shutil.copy(release.built(target, "majuscule.lib"), library)
    else:
        shutil.copy(release.built(target, "libmajuscule.a"), library)
        # Programs link its code, and need no names for a debugger.
        if "linux" in target and shutil.which("strip"):
            run("strip", "--strip-debug", "--enable-deterministic-archives", os.path.join(library, "libmajuscule.a"))
    if "linux" in target:
        os.symlink(shared, os.path.join(library, soname))
        os.symlink(soname, os.path.join(library, "libmajuscule.so"))
    write(os.path.join(library, "pkgconfig", "majuscule.pc"), PKG_CONFIG.format(description=DESCRIPTION, version=VERSION))
    release.pack(folder, name)


PKG_CONFIG = """prefix=${{pcfiledir}}/../..
libdir=${{prefix}}/lib
includedir=${{prefix}}/include

Name: majuscule
Description: {description}
Version: {version}
Libs: -L${{libdir}} -lmajuscule
Libs.private: -lm -lpthread -ldl
Cflags: -I${{includedir}}
"""


# ---- models with cards ----


def make_models(release, folder):
    models = release.path("models")
    os.makedirs(models, exist_ok=True)
    for file in model_files():
        shutil.copy(os.path.join(TOP, file), models)
    # The program finds those that are not built in, and knows the licence of each.
    env = {**os.environ, "MAJUSCULE_MODELS": os.path.abspath(models)}
    listed = subprocess.run([release.program(), "models", "--json"], check=True, env=env, capture_output=True)
    listed = [model for model in json.loads(listed.stdout)["models"] if "licence" in model]
    licences = {os.path.basename(model["path"] or model["model"]): model["licence"] for model in listed}
    for file in model_files():
        name = os.path.basename(file)
        write(os.path.join(models, f"{name}.md"), model_card(release, file, licences[name]))


def model_files():
    """Returns the paths of the packed models in the repository."""
    return [file for file in output("git", "ls-files", "lm").splitlines() if file.rsplit(".", 1)[-1] in USES]


BUILT_IN = "It is built into the program and the packages."
EXTERNAL = "It is not built in: the program finds it in its own folder and in `$MAJUSCULE_MODELS`."
USES = {
    "accurate": f"The default model of its language, a small network. {BUILT_IN}",
    "fast": f"The model of `--preset fast`: several times as fast as `accurate`, and smaller. {BUILT_IN}",
    "ngram": f"The model of `--preset ngram`, a language model. {EXTERNAL}",
    "best": f"The model of `--preset best`, a network with a pretrained encoder. {EXTERNAL}",
}


def model_card(release, file, licence):
    """Returns the card of a model: its texts from lm/README.md, its figures from docs/reports/quality.json."""
    name = os.path.basename(file)
    tag, preset = name.rsplit(".", 1)
    manifest = json.loads(output(release.program(), "inspect", "--json", file))
    path = os.path.join(TOP, file)
    tags = manifest["language"].split(",")
    rows = [
        ("method", f"`{manifest['method']}`"),
        ("languages", ", ".join(language_name(tag) for tag in tags)),
        ("licence", licence),
        ("size", f"{os.path.getsize(path):,} bytes"),
        ("SHA-256", f"`{sha256(path)}`"),
        ("version", f"of majuscule {VERSION}"),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return f"""# {name}

{USES[preset]}

It restores the capitals of text that lost them, and inserts commas, full stops and question marks where `--marks` asks
for them. Nothing else changes.

    majuscule restore --model {name} talk.txt

| | |
| --- | --- |
{table}

## Texts and licences

{model_texts(tag, preset)}

A model contains hashes, weights, and the words that are written in mixed case, but no sentences. The chapter "Models" of
the repository (`lm/README.md`) says how it was made.

## Figures

{model_figures(tags, preset)}

## Limits

- The figures are of the texts that they name. Text of another kind, with other names or many errors of a recogniser, has more errors.
- Names that are also common words, and words that the training text lacks, are the usual errors. A list of your own
  spellings (`--spellings`) overrides the model.
- Text in another language gets a warning where the program can tell, and is restored badly.
- A question without a question word, and a sentence end that no word shows, are often missed.
- Restored text needs a reader before it is quoted: a wrong capital or full stop can change the meaning.

## Manifest

`majuscule inspect --json {name}` prints:

```json
{json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True)}
```
"""


def language_name(tag):
    """Returns the English name of a language."""
    return languages().get(tag, (tag,))[0]


def languages():
    sys.path.insert(0, os.path.join(TOP, "benches"))
    from quality import MAIN

    return MAIN


def tables(text):
    """Returns the tables of a document: lists of lines, the first two of which are the header."""
    return [table.strip().split("\n") for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]


def table_after(start):
    """Returns the table of lm/README.md whose header starts like this."""
    return "\n".join(next(table for table in tables(read("lm", "README.md")) if table[0].startswith(start)))


def rows_of(start, *cells):
    """Returns the rows of a table of lm/README.md that begin with these cells, with the header; empty without any."""
    table = table_after(start).split("\n")
    rows = [row for row in table[2:] if any(row.startswith(f"| {cell}") for cell in cells)]
    return "\n".join([*table[:2], *rows]) if rows else ""


def model_texts(tag, preset):
    """Returns the texts that a model learned from."""
    built_in = rows_of("| models | text of `fast`", f"`{tag}`")
    if preset == "accurate":
        network = rows_of("| network | text", language_name(tag))
        return f"The network learned from:\n\n{network}\n\nThe texts of the language and their licences:\n\n{built_in}"
    if preset == "fast":
        return built_in
    if preset == "ngram":
        _, section = read("lm", "README.md").split("\n## The language models\n\n")
        return section.split("\n## ")[0].strip()
    parts = [rows_of("| model | languages | encoder", f"`{tag}.best`")]
    if tag == "multilingual":
        parts.append(table_after("| language | text of `multilingual.best`"))
    else:
        parts.append(table_after("| text (words) | licence"))
    return "\n\n".join(parts)


def model_figures(tags, preset):
    """Returns the tables of the report with the rows of a model."""
    report = json.loads(read("docs", "reports", "quality.json"))
    parts = []
    about = {"main": "Capitals: precision, recall and F in percent, and the slot error rate", "marks": "Punctuation: F in percent"}
    for key in about:
        header, rows = report[key]["header"], report[key]["rows"]
        language = header.index("language")
        rows = [row for row in rows if row[language] in tags and row[header.index("model")] == f"`{preset}`"]
        if rows:
            lines = [header, ["---"] * len(header), *rows]
            parts.append(f"{about[key]}.\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines))
    if not parts:
        return "No report has figures of this model; `majuscule evaluate` measures it on a text of yours."
    return "\n\n".join([*parts, "`docs/reports/quality.md` of the repository explains the columns and has the other test sets."])


# ---- what is inside ----

SBOM = f"majuscule-{VERSION}.cdx.json"


def make_sbom(release, folder):
    """Writes the crates in the program in the form CycloneDX 1.5."""
    options = ["--locked", "--offline", "--manifest-path", os.path.join(TOP, "crates/cli/Cargo.toml"), "--features", FEATURES]
    metadata = json.loads(output("cargo", "metadata", "--format-version", "1", "--filter-platform", release.target, *options))
    # Metadata has the features of the whole workspace; the tree has those of the program.
    tree = output("cargo", "tree", "--edges", "normal", "--prefix", "none", "--format", "{p}", "--target", release.target, *options)
    inside = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    packages = {package["id"]: package for package in metadata["packages"] if (package["name"], f"v{package['version']}") in inside}
    ref = {name: f"pkg:cargo/{package['name']}@{package['version']}" for name, package in packages.items()}
    locked = tomllib.loads(read("Cargo.lock"))["package"]
    sums = {(package["name"], package["version"]): package.get("checksum") for package in locked}

    def component(name):
        package = packages[name]
        licence = (package["license"] or "NOASSERTION").replace("/", " OR ")
        found = {"type": "library", "bom-ref": ref[name], "name": package["name"], "version": package["version"]}
        found |= {"licenses": [{"expression": licence}], "purl": ref[name]}
        checksum = sums.get((package["name"], package["version"]))
        return found | ({"hashes": [{"alg": "SHA-256", "content": checksum}]} if checksum else {})

    program = next(name for name in packages if packages[name]["name"] == "majuscule-cli")
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    normal = lambda dep: any(kind["kind"] is None for kind in dep["dep_kinds"])
    needs = lambda name: sorted({ref[dep["pkg"]] for dep in nodes[name]["deps"] if normal(dep) and dep["pkg"] in ref})
    order = sorted(packages, key=lambda name: ref[name])
    made = datetime.datetime.fromtimestamp(release.epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"majuscule-{VERSION}-{release.target}-{release.epoch}").urn,
        "version": 1,
        "metadata": {"timestamp": made, "component": component(program) | {"type": "application"}},
        "components": [component(name) for name in order if name != program],
        "dependencies": [{"ref": ref[name], "dependsOn": needs(name)} for name in order],
    }
    write(release.path(SBOM), json.dumps(bill, indent=2) + "\n")


# ---- Homebrew and containers ----


# The systems of Homebrew.
SYSTEMS = {
    "aarch64-apple-darwin": ("macos", "arm"),
    "x86_64-apple-darwin": ("macos", "intel"),
    "aarch64-unknown-linux": ("linux", "arm"),
    "x86_64-unknown-linux": ("linux", "intel"),
}


def make_recipes(release, folder):
    """Writes the formula of all archives in the folder, and the recipe of the container of this machine's archive."""
    archive = f"{release.archive_name()}.tar.gz"
    if not os.path.exists(release.path(archive)):
        raise Missing("the part `program` has not been made")
    repository = PACKAGE.get("repository")
    if not repository:
        print("recipes: Cargo.toml has no `repository`: majuscule.rb has REPOSITORY in its addresses, and is not usable as it is")
    values = {"VERSION": VERSION, "ARCHIVE": archive, "DESCRIPTION": DESCRIPTION, "REPOSITORY": repository or "REPOSITORY"}
    address = f"{values['REPOSITORY']}/releases/download/v{VERSION}"
    blocks = []
    for target, (system, processor) in SYSTEMS.items():
        for path in glob.glob(release.path(f"majuscule-{VERSION}-{target}*.tar.gz")):
            lines = [f'url "{address}/{os.path.basename(path)}"', f'sha256 "{sha256(path)}"']
            block = [f"on_{system} do", f"  on_{processor} do", *(f"    {line}" for line in lines), "  end", "end"]
            blocks.append("\n" + "\n".join(f"  {line}" for line in block))
    values["ARCHIVES"] = "\n".join(blocks)
    for name in ["majuscule.rb", "Dockerfile"]:
        if name == "Dockerfile" and "linux" not in release.target:
            continue
        write(release.path(name), re.sub(r"@([A-Z]+)@", lambda found: values[found[1]], read("release", name)))
    if "linux" in release.target:
        write(release.path(".dockerignore"), f"*\n!{archive}\n")


# ---- packages of other languages ----


def maturin():
    """Returns the command of maturin."""
    if shutil.which("maturin"):
        return ["maturin"]
    if importlib.util.find_spec("maturin"):
        return [sys.executable, "-m", "maturin"]
    raise Missing("no maturin here, which makes packages of Python (pip install maturin)")


def make_wheel(release, folder):
    options = ["--locked", "--offline", "--out", os.path.abspath(release.out)]
    if release.profile == "dev":
        options += ["--profile", "dev"]
    if "linux" in release.host and importlib.util.find_spec("ziglang"):
        options += ["--zig", "--compatibility", "manylinux2014"]
    elif "linux" in release.host:
        print("wheel: no ziglang here: the wheel needs the libc of this machine or a newer one")
    run(*maturin(), "build", *options, cwd=os.path.join(TOP, "python"), env=release.flags() | release.dates)


def make_sdist(release, folder):
    run(*maturin(), "sdist", "--out", os.path.abspath(release.out), cwd=os.path.join(TOP, "python"), env=release.dates)


def make_networks(release, folder):
    """Makes the wheel of the networks, which are files alone."""
    if not importlib.util.find_spec("setuptools") or int(importlib.metadata.version("setuptools").split(".")[0]) < 77:
        raise Missing("no setuptools 77 or later here, which makes the wheel majuscule-networks")
    # Outside of the repository: setuptools builds beside the sources.
    shutil.copytree(os.path.join(TOP, "python", "networks"), os.path.join(folder, "networks"), symlinks=False)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    run(*pip, "-w", os.path.abspath(release.out), os.path.join(folder, "networks"), env=release.dates)


def make_npm(release, folder):
    npm = need("npm", "packs the package of JavaScript")
    need("bash", "runs npm/build.sh")
    dist = os.path.join(TOP, "npm", "dist")
    # A trial packs what was built before: the cores have a profile of their own.
    if release.profile != "dev" or not os.path.isdir(dist):
        print("+ npm/build.sh", file=sys.stderr, flush=True)
        built = subprocess.run(["bash", "npm/build.sh"], cwd=TOP, stdout=sys.stderr)
        if built.returncode == 3:
            raise Missing("no compiler for WebAssembly here: npm/build.sh says what it needs")
        built.check_returncode()
    run(npm, "pack", "--silent", "--pack-destination", os.path.abspath(release.out), cwd=dist)


# ---- sums and sizes ----


def artefacts(out):
    """Returns the paths of all artefacts in a folder, sorted."""
    found = [os.path.relpath(os.path.join(at, name), out) for at, _, names in os.walk(out) for name in names]
    return sorted(name.replace(os.sep, "/") for name in found if name not in (SUMS, REPORT))


def size_table(release):
    """Returns the sizes of all artefacts; a card counts with its model."""
    names = [name for name in artefacts(release.out) if not name.endswith(".md") and name != ".dockerignore"]
    sizes = "\n".join(f"| {name} | {os.path.getsize(release.path(name)):,} |" for name in names)
    return f"| file | bytes |\n| --- | ---: |\n{sizes}\n"


def report(release):
    """Returns the report of the sizes."""
    return f"""# Artefacts

`release/build.py` writes this file; do not edit it. `release/check.py` unpacks each artefact into an empty folder and uses it.
The sizes are of version {VERSION} on {platform.system()} ({platform.machine()}), and its programs were built with the profile `{release.profile}`.

    python3 release/build.py OUT --report docs/reports
    python3 release/check.py OUT

{size_table(release)}
Each model has a card, a page of Markdown with its use, texts, licences, figures and limits.
"""


MAKERS = {name: globals()[f"make_{name}"] for name in PARTS}


def main():
    parser = argparse.ArgumentParser(description="Makes the artefacts of a release.")
    parser.add_argument("out", help="an empty folder; with --only, that of the other artefacts")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"make these parts: {', '.join(PARTS)}")
    parser.add_argument("--profile", default="dist", choices=["dist", "release", "dev"], help="the profile of cargo")
    parser.add_argument("--report", metavar="FOLDER", help=f"write {REPORT} to this folder")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    if not arguments.only and os.listdir(arguments.out):
        parser.error(f"{arguments.out} is not empty: name an empty folder, or the parts to make with --only")
    check_versions()
    release = Release(arguments.out, arguments.profile)
    left_out, failed = [], []
    for part in arguments.only or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                MAKERS[part](release, folder)
            except Missing as missing:
                left_out.append(f"{part}: {missing}")
                print(f"NOT MADE: {left_out[-1]}")
            except subprocess.CalledProcessError as error:
                failed.append(f"{part}: {error}")
                print(f"FAILED: {failed[-1]}")
    sums = [f"{sha256(release.path(name))}  {name}\n" for name in artefacts(release.out)]
    write(release.path(SUMS), "".join(sums))
    print(size_table(release), end="")
    if arguments.report:
        write(os.path.join(arguments.report, REPORT), report(release))
    for title, lines in [("NOT MADE", left_out), ("FAILED", failed)]:
        if lines:
            print(f"\n{title}:", *lines, sep="\n  ")
    sys.exit(1 if failed else 3 if left_out else 0)


if __name__ == "__main__":
    main()
