#!/usr/bin/env python3
"""Treats the HTTP service badly and says what it does.

    cargo build --release -p majuscule-cli --features service
    tests/peers/service_faults.py target/release/majuscule [--requests 10000] [--rounds 4]

Needs Linux, whose /proc has the memory and the open files of the service. While it is treated badly, one client sends right requests,
whose answers must be right. The service must not end, answer a bad request with an error of its own (status 500 and above), keep files
open, or grow. A fault that is found ends the script with status 1.
"""

import argparse
import collections
import contextlib
import http.client
import json
import lzma
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MODELS = Path(__file__).resolve().parents[2] / "lm"
GOOD = json.dumps({"text": "we met angela in lisbon", "lang": "en", "preset": "fast"}).encode()
GROWTH = 8 << 20
# What the book's MemoryMax=1G leaves beside the files that the system holds for the service.
MOST_MEMORY = 768 << 20
SEED = 44


class Service:
    """A service at a port of its own."""

    def __init__(self, program, port=0, models=None):
        environment = {**os.environ, "MAJUSCULE_MODELS": models} if models else None
        command = [program, "serve", "--listen", f"127.0.0.1:{port}"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        line = self.process.stderr.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)/", line)
        if not found:
            sys.exit(f"{program} serve does not start: {line}{self.process.stderr.read()}")
        self.port = int(found[1])
        self.messages = []
        self.reader = threading.Thread(target=lambda: self.messages.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def connect(self, seconds=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout=seconds)

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmRSS:\s*(\d+)", status)[1])

    def peak(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s*(\d+)", status)[1])

    def gauge(self, name):
        _, page = ask(self, request("/metrics", b"", "", method="GET"))
        return int(re.search(rf"^{name} (\d+)$", page.decode(), re.MULTILINE)[1])

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def check_lives(self):
        check(self.process.poll() is None, f"the service ended with {self.process.poll()}: {''.join(self.messages)}")


def check(holds, problem):
    if not holds:
        sys.exit(f"FAULT: {problem}")


def request(path, body, headers="Content-Type: application/json\r\n", method="POST", length=None):
    length = len(body) if length is None else length
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n".encode() + body


def read(stream):
    """Returns the status of an answer and its body; 0 for none."""
    parts = []
    with contextlib.suppress(OSError):
        while part := stream.recv(1 << 16):
            parts.append(part)
    head, _, body = b"".join(parts).partition(b"\r\n\r\n")
    return (int(head.split(b" ", 2)[1]), body) if head.startswith(b"HTTP/1.1 ") else (0, body)


def ask(service, raw):
    with service.connect() as stream:
        with contextlib.suppress(OSError):
            stream.sendall(raw)
        return read(stream)


def ask_badly(service, raw):
    """Like ask, but does not wait for the answer to a request that is not whole."""
    with service.connect(0.5) as stream:
        with contextlib.suppress(OSError):
            stream.sendall(raw)
        status, body = read(stream)
        if status == 0:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_WR)
            stream.settimeout(30)
            status, body = read(stream)
        return status, body


def is_right(service):
    status, body = ask(service, request("/v1/restore", GOOD))
    return status == 200 and json.loads(body)["text"] == "We met Angela in Lisbon"


class Neighbour:
    """A client that sends right requests beside the bad ones."""

    def __init__(self, service):
        self.service, self.stopped, self.times = service, threading.Event(), []
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stopped.is_set():
            begun = time.monotonic()
            if not is_right(self.service):
                self.times.append(None)
                return
            self.times.append(time.monotonic() - begun)
            time.sleep(0.005)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()

    def told(self):
        check(None not in self.times, "a right request beside the bad ones was not answered rightly")
        times = sorted(self.times)
        return f"{len(times)} right requests beside, the slowest in {1e3 * times[-1]:.0f} ms"


def bad(chance):
    """Returns a bad request."""
    noise = bytes(chance.randrange(256) for _ in range(chance.randrange(60)))
    text = chance.choice([b"we met", b"\xff\xfe", "é😀\u0000".encode(), noise])
    number = chance.choice(["1e999", "-1", "99999999999999999999999", "NaN", "0.5", "1" * 5000])
    deep = chance.choice(["[", '{"text":', '{"texts":['])
    kind = chance.randrange(16)
    return [
        lambda: noise,
        lambda: request("/v1/restore", GOOD, method=chance.choice(["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])),
        lambda: request(chance.choice(["/../../etc/passwd", "/v1/../v1/restore", "/%2e%2e/%2e%2e/etc/passwd", "/v1/restore/..%2f", "//", "/%00", "/%ff", "/v1/%zz", "*"]), GOOD),
        lambda: request("/v1/restore?" + chance.choice(["%", "format=%ff", "lang=en&lang=pt", "a=" + "b" * 9000, "&&&=", "format=png", "name=" + "%00" * 50]), GOOD, "Content-Type: text/plain\r\n"),
        lambda: request("/v1/restore", GOOD, chance.choice(["X: " + "a" * 100_000, "X\0: 1", ": 1", "Content-Length: 7", "Transfer-Encoding: chunked", "Content-Type: \xff", "Content-Type: image/png", "Expect: nonsense"]) + "\r\n"),
        lambda: request("/v1/restore", "".join(f"X-{at}: 1\r\n" for at in range(300)).encode(), "".join(f"X-{at}: 1\r\n" for at in range(300))),
        lambda: request("/v1/restore", (deep * chance.choice([10, 200, 20_000])).encode()),
        lambda: request("/v1/restore", f'{{"text":"a","look_ahead":{number}}}'.encode()),
        lambda: request("/v1/restore", f'{{"words":[{{"word":"a","start":{number}}}]}}'.encode()),
        lambda: request("/v1/restore", b'{"text":"' + text + b'"}'),
        lambda: request(f"/v1/restore?format={chance.choice(['srt', 'jsonl', 'whisper-json', 'ttml', 'csv&field=a', 'ctm', 'auto'])}", text * 5, "Content-Type: text/plain\r\n"),
        lambda: request(f"/v1/convert?from={chance.choice(['srt', 'whisper-json', 'auto'])}&to={chance.choice(['vtt', 'ttml', 'x', 'auto'])}&cues={chance.choice(['sentence', ''])}", text, "Content-Type: text/plain\r\n"),
        lambda: b"POST /v1/restore HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chance.choice([b"zz\r\nabc\r\n", b"-1\r\n", b"ffffffffffffffffff\r\na", b"3\r\nabcdef\r\n0\r\n\r\n", b"5\r\nab", b"0;" + b"a" * 20_000 + b"\r\n\r\n"]),
        lambda: request("/v1/restore", GOOD, length=chance.choice([len(GOOD) + 10, 1, 10**12, 10**30])),
        lambda: request("/v1/restore", GOOD).replace(b"HTTP/1.1", chance.choice([b"HTTP/9.9", b"HTTP/1.1 HTTP/1.1", b"", b"HTTP/2.0", b"http/1.1"])),
        lambda: bytes(byte if chance.random() > 0.02 else chance.randrange(256) for byte in request("/v1/restore", GOOD)),
    ][kind]()


def bad_requests(service, count, seed):
    statuses, problems, lock = collections.Counter(), [], threading.Lock()

    def send(chance, share):
        for _ in range(share):
            raw = bad(chance)
            raw = raw[: chance.randrange(len(raw) + 1)] if chance.random() < 0.1 else raw
            status, body = ask_badly(service, raw)
            with lock:
                statuses[status] += 1
                if status >= 500:
                    problems.append(f"status {status} for {raw[:300]}: {body[:300]}")

    threads = [threading.Thread(target=send, args=(random.Random(seed * 100 + at), count // 16)) for at in range(16)]
    with Neighbour(service) as neighbour:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    service.check_lives()
    check(not problems, problems[:3])
    shown = ", ".join(f"{status or 'closed'}: {times}" for status, times in sorted(statuses.items()))
    return f"{sum(statuses.values())} bad requests ({shown}); {neighbour.told()}"


def cut_off(service, count=300):
    """Clients that go in the middle of a body, or before they read an answer."""
    whole = request("/v1/restore", GOOD)
    file = request("/v1/restore?preset=fast", b"we met in lisbon\n" * 20_000, "Content-Type: text/plain\r\n")
    with Neighbour(service) as neighbour:
        for at in range(count):
            stream = service.connect()
            raw = file if at % 10 == 0 else whole
            with contextlib.suppress(OSError):
                stream.sendall(raw if at % 3 == 0 else raw[: len(raw) * (at % 7) // 7])
            if at % 2:
                # The connection is reset instead of ended.
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            stream.close()
    service.check_lives()
    return f"{count} clients that went away; {neighbour.told()}"


def slow_clients(service, count=200, seconds=12):
    """Heads that come byte by byte, bodies that stop, and connections that say nothing."""
    streams = [service.connect() for _ in range(count)]
    head, body = request("/v1/restore", GOOD), request("/v1/restore", GOOD)[:-5]
    for at, stream in enumerate(streams):
        if at % 4 == 0:
            stream.sendall(body)
    with Neighbour(service) as neighbour:
        begun, sent = time.monotonic(), 0
        while time.monotonic() - begun < seconds:
            for stream in streams[1::4]:
                with contextlib.suppress(OSError):
                    stream.sendall(head[sent : sent + 1])
            sent += 1
            time.sleep(0.5)
    # A body may take 60 s, all else is closed by now.
    open_still = 0
    for at, stream in enumerate(streams):
        stream.settimeout(0.01)
        try:
            while stream.recv(1 << 16):
                pass
        except TimeoutError:
            open_still += at % 4 != 0
        except OSError:
            pass
        stream.close()
    service.check_lives()
    check(open_still == 0, f"{open_still} of {count} slow connections are open after {seconds} s")
    return f"{count} slow clients, closed within {seconds} s; {neighbour.told()}"


def large_files(service, count=3, megabytes=20):
    """Long files beside right requests."""
    text = b"we met angela in lisbon and she told us all about the house\n" * (megabytes * 1_000_000 // 60)
    answers = []

    def send():
        client = http.client.HTTPConnection("127.0.0.1", service.port, timeout=600)
        client.request("POST", "/v1/restore?preset=fast", text, {"Content-Type": "text/plain"})
        answer = client.getresponse()
        answers.append((answer.status, len(answer.read())))

    threads = [threading.Thread(target=send) for _ in range(count)]
    with Neighbour(service) as neighbour:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    service.check_lives()
    check(answers == [(200, len(text))] * count, f"long files were answered with {answers}")
    return f"{count} files of {megabytes} MB at once; {neighbour.told()}"


def cue(at, text):
    return f"{at}\n00:{at // 60 % 60:02}:{at % 60:02},000 --> 00:{at // 60 % 60:02}:{at % 60:02},900\n{text}\n\n"


def gone_clients(service, seconds=0.5):
    """Clients that go while their request computes: its thread is free again soon after."""
    words = b"we met angela in lisbon and then "
    slow = {
        "lines": ("/v1/restore?format=text", words * 60_000),
        "document": ("/v1/restore?format=whisper-json", b'{"text":"' + words * 60_000 + b'"}'),
        "marked document": ("/v1/restore?format=whisper-json&marks=auto", b'{"text":"' + words * 60_000 + b'"}'),
        "text": ("/v1/restore", b'{"text":"' + words * 60_000 + b'"}'),
        "cues": ("/v1/convert?from=srt&to=vtt&cues=sentence&max_chars=100&max_lines=4", "".join(cue(at, "a " * 800) for at in range(200)).encode()),
        "dollars": ("/v1/restore?format=text", b"it costs $5.99, " * 1900),
        "hyphens": ("/v1/restore?format=text", b"-" * 300_000),
    }
    times = {}
    with Neighbour(service) as neighbour:
        for kind, (path, body) in slow.items():
            header = "Content-Type: application/json\r\n" if path == "/v1/restore" else ""
            with service.connect() as stream:
                stream.sendall(request(path, body, header))
                time.sleep(1)
            begun = time.monotonic()
            # The service sees the end of the connection first.
            time.sleep(0.05)
            while service.gauge("majuscule_abandoned_requests") and time.monotonic() - begun < 60:
                time.sleep(0.02)
            times[kind] = time.monotonic() - begun
    service.check_lives()
    late = {kind: round(time, 1) for kind, time in times.items() if time > seconds}
    check(not late, f"threads were held for so many seconds after their client had gone: {late}")
    return f"{len(slow)} requests whose client went, free within {max(times.values()):.1f} s; {neighbour.told()}"


def swollen_bodies(service, count=40):
    """Bodies of which much more is made than they are long."""
    words = request("/v1/restore", b'{"words":[' + b'"a",' * 500_000 + b'"a"]}')
    rows = "".join(f"a 1 {at}.0 .5 a\n" for at in range(1_500_000)).encode()
    speech = request("/v1/convert?from=ctm&to=srt&cues=sentence", rows, "Content-Type: text/plain\r\n")
    document = request("/v1/restore?format=whisper-json&marks=auto", b'{"text":"' + b"a " * 8_000_000 + b'"}', "")
    statuses = collections.Counter()

    def send(raw):
        statuses[ask(service, raw)[0]] += 1

    clients = [threading.Thread(target=send, args=(raw,)) for raw in [words] * count + [speech] * 4 + [document] * 4]
    with Neighbour(service) as neighbour:
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    service.check_lives()
    check(set(statuses) <= {200, 413, 422, 429, 503}, f"bodies of many words got {statuses}")
    check(service.peak() < MOST_MEMORY, f"bodies of many words took {service.peak() / 1e6:.0f} MB")
    return f"{len(clients)} bodies of many words ({dict(statuses)}), at most {service.peak() / 1e6:.0f} MB; {neighbour.told()}"


def other_sites(service):
    """Pages of other sites, by their names and by the headers of browsers."""
    refused = ["Host: evil.example\r\n"]
    refused += [f"Host: localhost\r\n{more}\r\n" for more in ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"]]
    for headers in refused:
        for path in ["/v1/restore", "/v1/convert?to=vtt", "/v1/live", "/v2/check"]:
            raw = f"POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n{headers}\r\n".encode()
            status, _ = ask(service, raw)
            check(status == 403, f"{path} with {headers!r} got {status}")
    return f"{len(refused)} kinds of other sites were refused"


def vanishing_models(program):
    """A folder of models that is removed after one is loaded, and before another is."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("en.ngram", "pt.ngram"):
            (Path(folder) / name).write_bytes(lzma.open(MODELS / name).read())
        ask_for = lambda lang: request("/v1/restore", json.dumps({"text": "in lisbon", "lang": lang, "preset": "ngram"}).encode())
        with Service(program, models=folder) as service:
            status, body = ask(service, ask_for("en"))
            check(status == 200, f"the model of the folder gives {status}: {body[:300]}")
            shutil.rmtree(folder)
            os.mkdir(folder)
            loaded = ask(service, ask_for("en"))
            check(loaded[0] == 200 and loaded[1] == body, f"a loaded model whose folder is gone gives {loaded}")
            missing, problem = ask(service, ask_for("pt"))
            check(missing == 400, f"a model that is gone gives {missing}: {problem[:300]}")
            check(is_right(service), "other models do not answer")
            service.check_lives()
    return f"a model in use answers as before, one that is gone is status {missing}"


def killed(program):
    """A service that is killed with connections open, and another at the same port."""
    with Service(program) as service:
        port = service.port
        streams = [service.connect() for _ in range(50)]
        for stream in streams:
            stream.sendall(request("/v1/restore", GOOD))
        service.process.kill()
        service.process.wait()
    begun = time.monotonic()
    with Service(program, port) as again:
        check(is_right(again), "the service is not right after it was killed")
        return f"another answers at the same port after {1e3 * (time.monotonic() - begun):.0f} ms"


def ended_under_load(program, clients=60):
    """SIGTERM while requests come in: those that were sent before it are answered."""
    with Service(program) as service:
        is_right(service)
        stopped, results, lock = [None], [], threading.Lock()

        def send():
            while stopped[0] is None:
                try:
                    stream = service.connect()
                    stream.sendall(request("/v1/restore", GOOD))
                except OSError:
                    return
                sent = time.monotonic()
                with lock:
                    results.append((sent, read(stream)[0]))

        threads = [threading.Thread(target=send) for _ in range(clients)]
        for thread in threads:
            thread.start()
        time.sleep(2)
        before = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        stopped[0] = before
        code = service.process.wait(30)
        for thread in threads:
            thread.join()
        check(code == 0, f"the service ended with status {code}")
        counted = collections.Counter(status for sent, status in results if sent <= before)
        last = sum(sent > before - 0.1 for sent, _ in results if sent <= before)
        check(set(counted) <= {200, 429}, f"requests that were sent before the signal got {counted}")
        return f"{sum(counted.values())} requests sent before the signal were answered ({dict(counted)}), {last} of them sent in the last 0.1 s"


def settled(service, files):
    """Waits until the service has as few open files as before."""
    begun = time.monotonic()
    while service.files() > files and time.monotonic() - begun < 75:
        time.sleep(0.5)
    return service.files()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program majuscule with the feature service")
    parser.add_argument("--requests", type=int, default=10_000, help="the number of bad requests")
    parser.add_argument("--rounds", type=int, default=4, help="the number of times that everything is done to one service")
    options = parser.parse_args()
    tell = lambda what: print(f"- {what}", flush=True)
    with Service(options.program) as service:
        check(is_right(service), "the service does not answer a right request")
        tell(other_sites(service))
        files = service.files()
        rounds = []
        for seed in range(SEED, SEED + options.rounds):
            tell(bad_requests(service, options.requests // options.rounds, seed))
            tell(cut_off(service))
            tell(slow_clients(service))
            tell(large_files(service))
            tell(gone_clients(service))
            tell(swollen_bodies(service))
            left = settled(service, files)
            check(left <= files, f"{left} open files, {files} at the beginning")
            rounds.append(service.memory())
            tell(f"{left} open files as at the beginning, RSS {rounds[-1] / 1e6:.1f} MB")
        # The first half of the rounds fills what the allocator keeps for each thread.
        check(rounds[-1] - max(rounds[: options.rounds // 2 + 1]) < GROWTH, f"RSS grew: {rounds} bytes")
        check(is_right(service), "the service is not right any longer")
    tell(vanishing_models(options.program))
    tell(killed(options.program))
    tell(ended_under_load(options.program))
    print("no fault was found")


if __name__ == "__main__":
    main()
