#!/usr/bin/env python3
"""Measures the HTTP service beside the program on the same text.

    cargo build --profile dist -p majuscule-cli --features service
    apt-get install wrk hey
    python3 benches/peers/service.py target/dist/majuscule TEXT [--soak MINUTES] [--stream MEGABYTES]

TEXT has one sentence per line, such as a file of a corpus; it is lower-cased. wrk finds the limit, with 64 connections, and hey the
times at 70 % of it. The in-process figure is `majuscule restore` on the same text, without the time to start. All figures are of one
run on one machine, where the clients take their part of the cores: ratios are what counts, and on a busy machine those per CPU second.
Memory is the resident set (on Linux, from /proc).
"""

import argparse
import http.client
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

CONNECTIONS = 64
SECONDS = 10


class Service:
    """A service at a port of its own, until the end of a with."""

    def __init__(self, program, preset="accurate"):
        self.process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
        found = re.search(r"127\.0\.0\.1:(\d+)/", self.process.stderr.readline())
        if not found:
            sys.exit(f"{program} serve does not start: {self.process.stderr.read()}")
        self.port = int(found[1])
        self.post("application/json", json.dumps({"text": "in lisbon", "preset": preset}).encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def post(self, kind, body, path="/v1/restore"):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        client.request("POST", path, body, {"Content-Type": kind})
        answer = client.getresponse()
        if answer.status != 200:
            sys.exit(f"status {answer.status}: {answer.read(500)}")
        while answer.read(1 << 16):
            pass

    def memory(self, what="VmRSS"):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(rf"{what}:\s*(\d+)", status)[1]) / 1e6

    def cpu(self):
        """Returns the CPU seconds of the service so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def address(self, kind, preset):
        return f"http://127.0.0.1:{self.port}/v1/restore" + (f"?preset={preset}" if kind == "text/plain" else "")


def limit(service, folder, kind, body, preset, seconds=SECONDS):
    """Returns the requests per second at the limit, their CPU seconds, and the 99th percentile of their times in ms."""
    script = folder / "request.lua"
    script.write_text(f'wrk.method = "POST"\nwrk.headers["Content-Type"] = "{kind}"\nwrk.body = io.open("{folder}/body", "rb"):read("*a")\n')
    (folder / "body").write_bytes(body)
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "60s", "-s", script, service.address(kind, preset)]
    cpu = service.cpu()
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        print(f"wrk: {out}", file=sys.stderr)
    slow, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    requests = int(re.search(r"(\d+) requests in", out)[1])
    rate = float(re.search(r"Requests/sec:\s*([\d.]+)", out)[1])
    return rate, (service.cpu() - cpu) / requests, float(slow) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def at_rate(service, folder, kind, rate, preset):
    """Returns the rate that hey reached, and the median and the 99th percentile in ms."""
    command = ["hey", "-m", "POST", "-T", kind, "-D", folder / "body", "-c", str(CONNECTIONS), "-q", f"{rate / CONNECTIONS:.3f}"]
    out = subprocess.run([*command, "-z", f"{SECONDS}s", service.address(kind, preset)], check=True, capture_output=True, text=True).stdout
    times = [1e3 * float(re.search(rf"{percent}% in ([\d.]+) secs", out)[1]) for percent in (50, 99)]
    return float(re.search(r"Requests/sec:\s*([\d.]+)", out)[1]), *times


def in_process(program, path, preset, threads, words):
    """Returns the words per second of the program and per CPU second, without the time to start."""
    run = lambda path: subprocess.run([program, "restore", "-q", "--preset", preset, "--threads", str(threads), path], check=True, stdout=subprocess.DEVNULL)
    best = lambda clock: min(timed(lambda: run(path), clock) for _ in range(3)) - min(timed(lambda: run(os.devnull), clock) for _ in range(3))
    return words / best(time.perf_counter), words / best(children)


def children():
    """Returns the CPU seconds of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(work, clock=time.perf_counter):
    begun = clock()
    work()
    return clock() - begun


def cut(words, length):
    """Returns a text of this many words."""
    return " ".join((words * (length // len(words) + 1))[:length])


def load(program, words, folder, preset):
    path = folder / "text.txt"
    path.write_text("\n".join(" ".join(words[at : at + 20]) for at in range(0, len(words), 20)) * 3 + "\n")
    count = len(path.read_text().split())
    alone = {threads: in_process(program, path, preset, threads, count) for threads in (1, 2)}
    print(f"\n`{preset}`: `majuscule restore` {alone[1][0]:,.0f} words/s with one thread, {alone[2][0]:,.0f} with two; {alone[1][1]:,.0f} words per CPU second\n")
    print("| request | limit, requests/s | words/s | of in-process, 2 threads | the same per CPU second | p99 at the limit | at 70 %: rate | p50 | p99 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with Service(program, preset) as service:
        for length in (20, 2000):
            text = cut(words, length)
            bodies = {
                "`text`": ("application/json", json.dumps({"text": text, "preset": preset}).encode()),
                "`texts`": ("application/json", json.dumps({"texts": [text], "preset": preset}).encode()),
                "a file": ("text/plain", text.encode()),
            }
            for name, (kind, body) in bodies.items():
                rate, cpu, slow = limit(service, folder, kind, body, preset)
                found, median, tail = at_rate(service, folder, kind, 0.7 * rate, preset)
                of, of_cpu = rate * length / alone[2][0], length / cpu / alone[1][1]
                print(f"| {name}, {length} words | {rate:,.0f} | {rate * length:,.0f} | {of:.2f} | {of_cpu:.2f} | {slow:.1f} ms | {found:,.0f} | {median:.1f} ms | {tail:.1f} ms |", flush=True)


def stream(program, lines, folder, megabytes, preset):
    path = folder / "long.txt"
    text = "\n".join(lines) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(megabytes * 1_000_000 // len(text.encode()) + 1):
            file.write(text)
    alone = timed(lambda: subprocess.run([program, "restore", "-q", "--preset", preset, "--threads", "1", path], check=True, stdout=subprocess.DEVNULL))
    with Service(program, preset) as service:
        before = service.memory()

        def send():
            with open(path, "rb") as file:
                service.post("text/plain", file, f"/v1/restore?preset={preset}")

        seconds = timed(send)
        print(f"\n{path.stat().st_size / 1e6:.0f} MB through the service, `{preset}`: {seconds:.0f} s, `majuscule restore` with one thread {alone:.0f} s; RSS {before:.1f} MB before, {service.memory('VmHWM'):.1f} MB at its peak", flush=True)


def soak(program, words, folder, minutes, preset):
    """Samples the memory at full load: texts without end, and a file over and over."""
    with Service(program, preset) as service:
        ended = threading.Event()

        def files():
            text = cut(words, 50_000).encode()
            while not ended.is_set():
                service.post("text/plain", text, f"/v1/restore?preset={preset}")

        beside = threading.Thread(target=files)
        beside.start()
        samples, requests = [], 0
        for _ in range(round(minutes * 6)):
            rate, _, _ = limit(service, folder, "application/json", json.dumps({"text": cut(words, 20), "preset": preset}).encode(), preset)
            requests += rate * SECONDS
            samples.append(service.memory())
        ended.set()
        beside.join()
        shown = ", ".join(f"{sample:.1f}" for sample in samples[:: max(1, len(samples) // 12)])
        print(f"\nA soak of {minutes:g} minutes, `{preset}`, {requests:,.0f} requests of 20 words and files beside: RSS in MB {shown}; at its end {samples[-1]:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program majuscule with the feature service")
    parser.add_argument("text", help="a text in English, one sentence per line")
    parser.add_argument("--preset", nargs="+", default=["fast", "accurate"], help="the presets that are measured")
    parser.add_argument("--stream", type=int, default=200, metavar="MEGABYTES", help="the size of the long file; 0 leaves it out")
    parser.add_argument("--soak", type=float, default=0, metavar="MINUTES", help="the time of the soak")
    options = parser.parse_args()
    lines = Path(options.text).read_text(encoding="utf-8").lower().splitlines()[:10_000]
    words = " ".join(lines).split()
    if not words:
        parser.error(f"{options.text} has no words")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        for preset in options.preset:
            load(options.program, words, Path(folder), preset)
        if options.stream:
            stream(options.program, lines, Path(folder), options.stream, options.preset[0])
        if options.soak:
            soak(options.program, words, Path(folder), options.soak, options.preset[0])


if __name__ == "__main__":
    main()
