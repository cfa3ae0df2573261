#!/usr/bin/env python3
"""Measures live text over many WebSockets: the time from a word to its result, and the memory of the service.

    cargo build --profile dist --features service
    pip install websockets
    python3 benches/peers/live.py target/dist/majuscule --sockets 1000

Each socket says words at a steady rate, all sockets at different moments. The latency of a word is the time from the moment at which
the last word of its right context was sent (--look-ahead; with 0 the word itself) to the moment at which its final result was read. It
includes the client, whose sockets are spread over --processes: where these are busy, the figures are upper bounds. So the table also
has how late the clients wake up by themselves, the CPU time of both sides, and the load of the machine. Words of the first
seconds, in which sockets connect, do not count.
"""

import argparse
import asyncio
import itertools
import json
import multiprocessing
import os
import random
import re
import resource
import subprocess
import sys
import time

from websockets.asyncio.client import connect

WORDS = "the president met angela merkel in lisbon on monday morning and she said that nobody knew what had happened in new york".split()


async def talk(address, number, options, begin, latencies, delays):
    """Says words over a socket, and collects the latency of each and how late it was said."""
    source = random.Random(number)
    sent, decided = [], 0
    await asyncio.sleep(begin - options.warm_up * source.uniform(0.2, 1) - time.monotonic())
    async with connect(f"{address}?look_ahead={options.look_ahead}", compression=None, ping_interval=None) as socket:
        await socket.recv()

        async def listen():
            nonlocal decided
            async for message in socket:
                results = json.loads(message)
                if results["type"] != "Results":
                    continue
                now = time.monotonic()
                for _ in results["words"]:
                    decisive = decided + options.look_ahead
                    # The words decided at the end did not have their right context.
                    if decisive < len(sent) and sent[decisive] >= begin:
                        latencies.append(now - sent[decisive])
                    decided += 1

        listening = asyncio.create_task(listen())
        words = itertools.islice(itertools.cycle(WORDS), source.randrange(len(WORDS)), None)
        moment = time.monotonic() + source.random() / options.rate
        while moment < begin + options.seconds:
            await asyncio.sleep(moment - time.monotonic())
            now = time.monotonic()
            if now >= begin:
                delays.append(now - moment)
            sent.append(now)
            await socket.send(json.dumps({"type": "Text", "text": f"{next(words)} "}))
            moment = max(moment + 1 / options.rate, now)
        await asyncio.sleep(1)
        await socket.send('{"type":"CloseStream"}')
        await listening
    if decided != len(sent):
        raise RuntimeError(f"socket {number} sent {len(sent)} words and got {decided}")


def run_process(address, numbers, options, begin, results):
    """Runs the sockets of a process, and passes on what they collect and its CPU time."""

    async def run():
        latencies, delays = [], []
        await asyncio.gather(*(talk(address, number, options, begin, latencies, delays) for number in numbers))
        return latencies, delays

    results.put((*asyncio.run(run()), time.process_time()))


def status(process, name):
    """Returns a figure of /proc/PID/status in MB."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(re.search(rf"^{name}:\s+(\d+) kB", file.read(), re.MULTILINE)[1]) / 1e3


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentiles(times):
    """Writes the median, the 99th percentile and the longest of sorted times."""
    return ", ".join(f"{1e3 * times[min(int(part * len(times)), len(times) - 1)]:.1f}" for part in (0.5, 0.99, 1)) + " ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program majuscule, built with the feature service")
    parser.add_argument("--sockets", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=3, help="words per second of a socket (default: 3)")
    parser.add_argument("--seconds", type=float, default=20, help="the time that counts (default: 20)")
    parser.add_argument("--warm-up", type=float, default=10, help="the time before it, in which sockets connect (default: 10)")
    parser.add_argument("--look-ahead", type=int, default=1, help="words of right context (default: 1)")
    parser.add_argument("--processes", type=int, default=4, help="processes of clients (default: 4)")
    options = parser.parse_args()
    # A socket is a file on both sides.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    service = subprocess.Popen([options.program, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://(\S+)/", service.stderr.readline())[1]
        empty = status(service, "VmRSS")
        results, begin = multiprocessing.Queue(), time.monotonic() + options.warm_up
        clients = []
        for at in range(options.processes):
            numbers = range(at, options.sockets, options.processes)
            arguments = (f"ws://{address}/v1/live", numbers, options, begin, results)
            clients.append(multiprocessing.Process(target=run_process, args=arguments))
            clients[-1].start()
        time.sleep(options.warm_up + options.seconds)
        full, peak, load = status(service, "VmRSS"), status(service, "VmHWM"), os.getloadavg()[0]
        parts = [results.get(timeout=120) for _ in clients]
        for client in clients:
            client.join()
        used = cpu_seconds(service)
    finally:
        service.terminate()
        code = service.wait()
    latencies, delays = (sorted(time for part in parts for time in part[at]) for at in (0, 1))
    clients_used = sum(part[2] for part in parts)
    print("| figure | value |\n| --- | ---: |")
    for what, figure in [
        ("sockets", options.sockets),
        ("words", len(latencies)),
        ("latency: p50, p99, longest", percentiles(latencies)),
        ("delay of the clients by themselves: p50, p99, longest", percentiles(delays)),
        ("memory before the first socket", f"{empty:.1f} MB"),
        ("memory with all sockets (peak)", f"{full:.1f} ({peak:.1f}) MB"),
        ("CPU time of the service", f"{used:.1f} s"),
        ("CPU time of the clients", f"{clients_used:.1f} s"),
        ("load of the machine", f"{load:.1f} on {os.cpu_count()} cores"),
    ]:
        print(f"| {what} | {figure} |")
    return code


if __name__ == "__main__":
    sys.exit(main())
