"""Measures columns of texts in engines: Spark, Ray, polars, DuckDB and pandas beside one Python process.

    python3 benches/engines.py [--rows N] [--engines spark,ray,polars,duckdb,pandas]

It needs majuscule, pyarrow and the engines that are named; Spark needs Java. Spark and Ray have two workers, all else one
thread. A small job runs before each that is timed, so that starting up is not in the times. CPU seconds are those of this
process and all that it started; other work on the machine changes them by a quarter, and wall seconds by several times. Ray's
workers belong to no process of this script, so their CPU seconds are not known. For Spark, `cost` is the CPU time of the job
without that of restoring in one process, divided by that of the identity job, which passes batches on.
"""

import argparse
import os
import pathlib
import random
import sys
import tempfile
import time

WORDS = """we met ana in lisbon and then she left for new york with the president of the bank who said that it was late but
nobody knew where bob smith from microsoft had been since monday when the train to paris was late again""".split()
WORDS_PER_ROW = 10
FILES = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--engines", default="spark,ray,polars,duckdb,pandas")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, folder = pathlib.Path(folder, "small"), pathlib.Path(folder, "texts")
        write_texts(small, 1000)
        write_texts(folder, arguments.rows)
        print(f"{arguments.rows:,} rows of {WORDS_PER_ROW} words, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(f"{'job':28} {'wall s':>8} {'CPU s':>8} {'rows/wall s':>12} {'to one':>7} {'cost':>6}")
        one = timed(one_process, small, folder)
        show("one process", one, one, arguments.rows)
        identities = {}
        for name in filter(None, arguments.engines.split(",")):
            for job, run in ENGINES[name]():
                figures = timed(run, small, folder)
                show(job, figures, one, arguments.rows, identities.get(name))
                identities.setdefault(name, figures)


def write_texts(folder, rows):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    folder.mkdir()
    draw = random.Random(7)
    for file in range(FILES):
        count = rows // FILES + (file < rows % FILES)
        texts = [" ".join(draw.choices(WORDS, k=WORDS_PER_ROW)) for _ in range(count)]
        parquet.write_table(pa.table({"text": texts}), folder / f"{file}.parquet")


def one_process(folder):
    import majuscule
    import pyarrow.dataset as dataset

    model = majuscule.load("en")
    for batch in dataset.dataset(folder).to_batches(batch_size=10_000):
        model.restore(batch.column("text"), threads=1)


def spark():
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    import majuscule.spark
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.log.level", "ERROR").config("spark.driver.memory", "1g").getOrCreate()

    def job(changed):
        return lambda folder: changed(session.read.parquet(str(folder))).write.format("noop").mode("overwrite").save()

    yield "spark: identity", job(lambda df: df.mapInArrow(lambda batches: batches, df.schema))
    yield "spark: restore_column", job(lambda df: majuscule.spark.restore_column(df, "text"))
    session.stop()


def ray():
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled", RAY_DATA_DISABLE_PROGRESS_BARS="1")
    import majuscule.ray
    import ray

    # Two for the actors, and one for tasks that read.
    ray.init(num_cpus=3, include_dashboard=False, object_store_memory=2_000_000_000, log_to_driver=False)
    pool = ray.data.ActorPoolStrategy(size=2)

    class Identity:
        def __call__(self, batch):
            return batch

    def job(function, *arguments):
        options = {"batch_format": "pyarrow", "batch_size": 10_000, "compute": pool, "fn_constructor_args": arguments}
        # Ray may read several files as one block, and an actor works on whole blocks.
        read = lambda folder: ray.data.read_parquet(str(folder)).repartition(4 * FILES)
        return lambda folder: read(folder).map_batches(function, **options).materialize()

    yield "ray: identity", job(Identity)
    yield "ray: Restorer", job(majuscule.ray.Restorer, "text")
    ray.shutdown()


def polars():
    import majuscule.polars
    import polars

    restored = majuscule.polars.restore("text", threads=1)
    yield "polars: restore", lambda folder: polars.scan_parquet(folder / "*.parquet").select(restored).collect(engine="streaming")


def duckdb():
    import duckdb
    import majuscule.duckdb

    connection = duckdb.connect(config={"threads": 1})
    majuscule.duckdb.register(connection, threads=1)
    query = "select sum(length(majuscule(text))) from '{}/*.parquet'"
    yield "duckdb: majuscule(text)", lambda folder: connection.sql(query.format(folder)).fetchall()


def pandas():
    import majuscule
    import pandas

    model = majuscule.load("en")

    def run(folder):
        restored = model.restore(pandas.read_parquet(folder)["text"], threads=1)
        return pandas.Series.from_arrow(restored) if hasattr(pandas.Series, "from_arrow") else restored

    yield "pandas: from_arrow", run


ENGINES = {"spark": spark, "ray": ray, "polars": polars, "duckdb": duckdb, "pandas": pandas}


def timed(job, small, folder):
    """Return the wall and CPU seconds of a job on the texts of a folder, after one on a few."""
    job(small)
    wall, cpu = time.perf_counter(), cpu_seconds()
    job(folder)
    return time.perf_counter() - wall, cpu_seconds() - cpu


def cpu_seconds():
    """Return the CPU seconds of this process and its descendants, with those that ended and were waited for."""
    processes = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # The fields from the third: state, parent, ..., user and system time, those of children.
        processes[int(status.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    total, found = 0, {os.getpid()}
    while found:
        total += sum(processes[process][1] for process in found if process in processes)
        found = {process for process, (parent, _) in processes.items() if parent in found}
    return total / os.sysconf("SC_CLK_TCK")


def show(job, figures, one, rows, identity=None):
    wall, cpu = figures
    is_known = not job.startswith("ray:")
    cost = f"{(cpu - one[1]) / identity[1]:6.2f}" if identity and is_known else ""
    print(f"{job:28} {wall:8.1f} {f'{cpu:8.1f}' if is_known else '       –'} {rows / wall:12,.0f} {one[0] / wall:7.2f} {cost}", flush=True)


if __name__ == "__main__":
    main()
