"""Jobs of `altavista_dedup.spark` beside runs of the engine, table by table. `scripts/spark-test` prepares and calls it.

    spark_corpora.py sail [DIR …]         the samples in three formats, and each DIR, with three configurations
    spark_corpora.py local [DIR …]        the same on Spark itself, local[2], with the default configuration
    spark_corpora.py standalone [DIR …]   a master with two workers on loopback, one of which is killed on the way

DIR holds a crawl. DuckDB counts the rows that one publication has and the other has not, over all columns of all tables
(`EXCEPT ALL`, both ways); the bytes of all files are compared, too. Ends with code 1 if anything differs.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import altavista_dedup
import duckdb
from altavista_dedup import spark
from samples import files
from spark_jobs import CONFIGURATIONS, FORMATS, METHODS, free_port

# Spark has its native library of snappy only where it can write and execute files in its temporary directory.
SETTINGS = ["spark.ui.enabled=false", "spark.sql.shuffle.partitions=4", "spark.sql.parquet.compression.codec=gzip"]
GIVEN_UP_S = 120


def until(what, of):
    """Waits until a function says so."""
    for _ in range(GIVEN_UP_S * 10):
        if of():
            return
        time.sleep(0.1)
    sys.exit(f"{what}: not within {GIVEN_UP_S} s")


class Processes:
    """Servers of a test, each in a process group of its own, so that a kill takes its children along."""

    def __init__(self, log):
        self.log, self.all = log, []

    def start(self, *command):
        with open(self.log, "ab") as log:
            process = subprocess.Popen(
                [str(word) for word in command], stdout=log, stderr=log, start_new_session=True
            )
        self.all.append(process)
        return process

    def kill(self, process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def says(self, text, times=1):
        return self.log.read_bytes().count(text) >= times


def sail(processes):
    port = free_port()
    processes.start(pathlib.Path(sys.executable).with_name("sail"), "spark", "server", "--port", port)

    def answers():
        with socket.socket() as asked:
            return asked.connect_ex(("127.0.0.1", port)) == 0

    until("the server of Sail", answers)
    return f"sc://127.0.0.1:{port}", None


def standalone(processes):
    """A master with two workers of one processor each, and the worker to kill."""
    import pyspark

    spark_class = pathlib.Path(pyspark.__file__).parent / "bin/spark-class"
    port, place = free_port(), "org.apache.spark.deploy"
    master = f"spark://127.0.0.1:{port}"
    own = ["--host", "127.0.0.1", "--webui-port", 0]
    processes.start(spark_class, f"{place}.master.Master", *own, "--port", port)
    until("the master", lambda: processes.says(b"I have been elected leader"))
    work = ["-c", 1, "-m", "1g", "-d", processes.log.parent / "workers"]
    workers = [processes.start(spark_class, f"{place}.worker.Worker", *own, *work, master) for _ in range(2)]
    until("two workers", lambda: processes.says(b"Successfully registered with master", 2))
    return master, workers[0]


def killed_on_the_way(processes, worker, job):
    """Kills the worker with its executor when the first shard of the job has begun."""

    def kill():
        until("the first shard", lambda: any(job.glob("sketch.shards/*")))
        processes.kill(worker)
        print(f"         a worker is killed; {len(list(job.glob('sketch.shards/*')))} shards had begun")

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def configured(place, input_paths, configuration):
    place.mkdir(parents=True)
    config = place / "pipeline.toml"
    config.write_text(
        f'version = 1\n[input]\n{input_paths}\n[sketch]\nseed = "s"\n'
        f"{METHODS.get(configuration, '')}{CONFIGURATIONS[configuration]}"
    )
    return config


def rows_apart(here, there):
    """The tables of both publications, and how many rows only one of them has."""
    tables = sorted(path.name for path in here.glob("*.parquet"))
    assert tables == sorted(path.name for path in there.glob("*.parquet"))
    apart = 0
    for name in tables:
        for one, other in ((here, there), (there, here)):
            only = f"SELECT * FROM '{one / name}' EXCEPT ALL SELECT * FROM '{other / name}'"
            apart += duckdb.sql(f"SELECT count(*) FROM ({only})").fetchall()[0][0]
    return len(tables), apart


def main():
    kind, dirs = sys.argv[1], [pathlib.Path(dir).absolute() for dir in sys.argv[2:]]
    inputs = FORMATS | {"/".join(dir.parts[-2:]): f'paths = ["{dir}"]' for dir in dirs}
    configurations = CONFIGURATIONS if kind == "sail" else ["default"]
    print("apart  tables  documents  job, s  corpus, configuration", flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as dir:
        place = pathlib.Path(dir)
        processes = Processes(place / "servers.log")
        servers = {"sail": sail, "standalone": standalone, "local": lambda _: ("local[2]", None)}
        try:
            master, worker = servers[kind](processes)
            for name, paths in inputs.items():
                for configuration in configurations:
                    own = place / "one"
                    here = configured(own / "run", paths, configuration)
                    there = configured(own / "job", paths, configuration)
                    ran = altavista_dedup.run(here, progress=False)
                    job = spark.Job(None, there, there.parent / "job", 8)
                    job.session = spark.session(master, SETTINGS)
                    killing = worker and killed_on_the_way(processes, worker, job.out)
                    worker = None
                    try:
                        job.run()
                    finally:
                        job.session.stop()
                    took = time.monotonic() - job.began
                    if killing:
                        killing.join()
                    job.kernels.index()
                    outs = here.parent / "out", there.parent / "out"
                    tables, apart = rows_apart(*(out.resolve() for out in outs))
                    same = files(outs[0]) == files(outs[1])
                    failed |= apart > 0 or not same
                    documents = ran.report["input"]["documents"]
                    told = f"{name}, {configuration}" + ("" if same else ": OTHER BYTES")
                    print(f"{apart:>5}  {tables:>6}  {documents:>9}  {took:>6.1f}  {told}", flush=True)
                    shutil.rmtree(own)
        finally:
            for process in processes.all:
                processes.kill(process)
    sys.exit(failed)


if __name__ == "__main__":
    main()
