"""Finds the near-duplicates of a crawl with Spark, and publishes the tables of `pipeline run`.

    python -m altavista_dedup.spark run pipeline.toml JOB --master spark://HOST:7077

The workers read and sketch the input, find equal documents and common shingles, and count the
shingles that pairs share. The engine does the rest on the machine that starts the job: links,
clusters, tables and the query index. `--no-index` leaves that to `pipeline index --from JOB`.

Every worker needs this package, pyarrow and pandas, and sees the input and JOB at the same paths. The plan
is free of order: no result depends on the order in which rows arrive. Every definition is the
engine's: the kernels of `_native.SparkKernels` are called in `mapInArrow`.
"""

import argparse
import functools
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DOCUMENTS = (
    "segment int, place long, identical binary, lexical binary, shingle binary, "
    "sizes array<int>, sketch array<long>"
)
PAIRS = "a long, b long, shared long"
KEYS = ("identical", "lexical", "shingle")

# Marks a directory as that of a job: what a job wrote there may be replaced.
MARKER = "altavista-dedup-job"

# How long a server of Spark Connect may take to answer.
ANSWER_S = 10


class Job:
    """A job: the session, the configuration as text, and the directory that all workers see."""

    def __init__(self, session: Any, config: Path, out: Path, shards: int) -> None:
        from . import _native

        self.session, self.shards = session, shards
        self.arguments = (_native.SparkKernels.read(config), str(config.absolute()), str(out.absolute()))
        self.out = out.absolute()
        self.kernels = _native.SparkKernels(*self.arguments)
        self.began = time.monotonic()

    def refuse(self) -> None:
        """Ends the job before work begins if the configuration asks for what it cannot do, or the directory is not one
        of a job."""
        refusals = self.kernels.refusals()
        if refusals:
            refuse("\n".join(f"failed to start on Spark: {one}" for one in refusals))
        if self.out.exists() and not (self.out / MARKER).is_file() and (not self.out.is_dir() or any(self.out.iterdir())):
            refuse(f"failed to use {self.out}: it is not the directory of a job; name one that does not exist")

    def mapped(self, kernel: str, schema: str) -> Callable[[Any], Any]:
        """A kernel over record batches. No row becomes an object of Python."""
        arguments = self.arguments

        def batches(given: Iterator[Any]) -> Iterator[Any]:
            import pyarrow

            from altavista_dedup import _native

            call = getattr(_native.SparkKernels(*arguments), kernel)
            for batch in given:
                if batch.num_rows:
                    yield from pyarrow.RecordBatchReader.from_stream(call(batch))

        return lambda table: table.mapInArrow(batches, schema)

    def claim(self) -> None:
        """Makes the directory of the job, or takes that of an earlier one."""
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / MARKER).touch()

    def write(self, name: str, table: Any) -> Path:
        """Writes a table; gives its directory. Without a scheme, Spark may take a path for one of HDFS."""
        path = self.out / name
        self.remove(name)
        table.write.mode("overwrite").parquet(path.as_uri())
        return path

    def remove(self, name: str) -> None:
        """Removes what an earlier job left."""
        if (self.out / name).exists():
            shutil.rmtree(self.out / name)

    def look(self) -> None:
        """Ends the job before work begins if this machine does not see what the workers write."""
        path = self.write("seen", self.session.range(1))
        if not list(path.glob("*.parquet")):
            sys.exit(f"failed to see {path}, which the workers wrote: JOB must be on a file system that all machines share")
        # Spark ends each table with a file, also one without rows.
        self.has_ends = (path / "_SUCCESS").exists()
        self.remove("seen")

    def stage(self, name: str, table: Any) -> Any:
        """Writes a table and reads it: what follows does not compute it again."""
        path = self.write(name, table)
        print(f"{time.monotonic() - self.began:8.1f} s  {name}", file=sys.stderr, flush=True)
        if self.has_ends and not (path / "_SUCCESS").exists():
            sys.exit(f"failed to see the end of {path}: run the job again")
        if not list(path.glob("*.parquet")):  # Sail writes no file if there is no row.
            return self.session.createDataFrame([], table.schema)
        return self.session.read.parquet(path.as_uri())

    def documents(self) -> Any:
        """Shards of the input, sketched; a row for each document, with its number."""
        from pyspark.sql import functions as F

        arguments, shards = self.arguments, self.shards

        def read(given: Iterator[Any]) -> Iterator[Any]:
            import pyarrow

            from altavista_dedup import _native

            kernels = _native.SparkKernels(*arguments)
            for batch in given:
                for number in batch.column("id").to_pylist():
                    documents = kernels.documents(number, shards)
                    yield from pyarrow.RecordBatchReader.from_stream(documents)

        # Shards of another number of shards must not be taken for those of this job.
        for path in self.out.glob("sketch.shards/*"):
            if not path.name.endswith(f"-of-{shards}"):
                shutil.rmtree(path)
        numbers = self.session.range(1, shards + 1, 1, shards)
        read_documents = self.stage("documents", numbers.mapInArrow(read, DOCUMENTS))
        # A number is a position in the input. The counts of segments are few, so they are added
        # up here, and no sketch is shuffled.
        counts = dict(read_documents.groupBy("segment").count().collect())
        bases, self.count = [], 0
        for segment in sorted(counts):
            bases.append((segment, self.count))
            self.count += counts[segment]
        bases = self.session.createDataFrame(bases, "segment int, base long")
        numbered = read_documents.join(F.broadcast(bases), "segment")
        return numbered.withColumn("doc", F.col("base") + F.col("place")).drop("base")

    def representatives(self, documents: Any) -> Any:
        """The documents that are not equal to one before them."""
        from pyspark.sql import functions as F

        copies = []
        for key in KEYS:
            of_key = documents.where(F.col(key).isNotNull()).select("doc", key)
            lowest = of_key.groupBy(key).agg(F.min("doc").alias("lowest"), F.count("*").alias("n"))
            copies.append(of_key.join(lowest.where("n > 1"), key).where("doc > lowest").select("doc"))
        all_copies = functools.reduce(lambda some, more: some.union(more), copies)
        return documents.join(self.stage("copies", all_copies.distinct()), "doc", "left_anti")

    def common(self, postings: Any) -> Any:
        """The common shingles: those in more sketches than the limit."""
        from pyspark.sql import functions as F

        sketches = postings.groupBy("shingle").agg(F.count("*").alias("sketches"))
        return self.stage("common", sketches.where(F.col("sketches") > self.kernels.limit).select("shingle"))

    def pairs(self, representatives: Any, postings: Any, common: Any) -> Any:
        """The pairs that may reach the floor, with the shingles they share that are not common. Common
        shingles leave before anything is shuffled."""
        from pyspark.sql import functions as F

        kept = postings.join(F.broadcast(common), "shingle", "left_anti")
        lists = kept.groupBy("shingle").agg(F.collect_list("doc").alias("docs"))
        lists = lists.where(F.size("docs") > 1).select("docs")
        pairs = self.mapped("expand", PAIRS)(lists).groupBy("a", "b").agg(F.sum("shared").alias("shared"))
        if not self.kernels.has_floor:
            return pairs
        common_of = postings.join(F.broadcast(common), "shingle", "left_semi")
        common_of = common_of.groupBy("doc").agg(F.count("*").alias("common"))
        sizes = representatives.select("doc", "sizes").join(common_of, "doc", "left")
        sizes = sizes.withColumn("common", F.coalesce("common", F.lit(0).cast("long")))
        for side in ("a", "b"):
            columns = (F.col(name).alias(f"{name}_{side}") for name in ("sizes", "common"))
            pairs = pairs.join(sizes.select(F.col("doc").alias(side), *columns), side)
        return self.mapped("floor", PAIRS)(pairs)

    def run(self) -> None:
        """All of the work of Spark. The pair counts and the shards are then in the directory."""
        from pyspark.sql import functions as F

        self.look()
        self.remove("pairs")
        documents = self.documents()
        representatives = self.representatives(documents)
        postings = representatives.select("doc", F.explode("sketch").alias("shingle"))
        common = self.common(postings)
        pairs = self.pairs(representatives, postings, common).select("a", "b", "shared")
        self.stage("pairs", pairs)
        files = sorted(path.name for path in (self.out / "pairs").glob("*.parquet"))
        self.kernels.hand_over(files, self.count)


def refuse(why: str) -> None:
    """Ends the program like a wrong configuration."""
    print(why, file=sys.stderr)
    sys.exit(2)


def answers(server: str) -> None:
    """Ends the program if a server of Spark Connect does not answer: the client would try for minutes."""
    import grpc
    from pyspark.errors import PySparkException
    from pyspark.sql.connect.client import DefaultChannelBuilder

    try:
        channel = DefaultChannelBuilder(server).toChannel()
    except PySparkException as error:
        refuse(f"failed to use --master {server}: {error}")
    with channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=ANSWER_S)
        except grpc.FutureTimeoutError:
            sys.exit(f"failed to reach {server}: no answer within {ANSWER_S} s; start a Spark Connect server there, or name another by --master")


def session(master: str | None, settings: list[str]) -> Any:
    """The session of a master, of a Spark Connect server (`sc://HOST:PORT`), or of spark-submit."""
    from pyspark.sql import SparkSession

    # The workers of a local master need this Python, which has the packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    if master and master.startswith("sc:"):
        answers(master)
        builder = builder.remote(master)
    elif master:
        builder = builder.master(master)
    if not (master and master.startswith("sc:")):
        # The second attempt of a task would wait for the shard that the first one makes.
        builder = builder.config("spark.speculation", "false")
    for setting in settings:
        key, _, text = setting.partition("=")
        builder = builder.config(key, text)
    return builder.getOrCreate()


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m altavista_dedup.spark", description=__doc__.split("\n", 1)[0]
    )
    run = parser.add_subparsers(required=True, metavar="COMMAND").add_parser("run", help="run a configuration")
    run.add_argument("config", help="the configuration, pipeline.toml")
    run.add_argument("job", metavar="JOB", help="a directory for the job, which all workers see")
    run.add_argument("--master", help="a master, or sc://HOST:PORT; else that of spark-submit")
    run.add_argument("--shards", type=int, default=16, help="tasks that read the input [default: 16]")
    run.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark")
    run.add_argument("--no-index", action="store_true", help="leave tables and index to pipeline index --from JOB")
    given = parser.parse_args(arguments)
    if given.shards < 1:
        parser.error("--shards must be 1 or more")
    for setting in given.conf:
        if "=" not in setting:
            parser.error(f"--conf {setting}: expected KEY=VALUE")
    for path in (given.config, given.job):
        if re.match("[A-Za-z][A-Za-z0-9+.-]*:/", path):
            refuse(f"failed to use {path}: it is a URL; name a path on a file system that all machines share")
    from . import EngineError

    try:
        job = Job(None, Path(given.config), Path(given.job), given.shards)
        job.refuse()
        job.session = session(given.master, given.conf)
        try:
            job.claim()
            job.run()
        finally:
            job.session.stop()
        if given.no_index:
            print(f"next: pipeline index --from {given.job}", file=sys.stderr)
        else:
            job.kernels.index()
    except EngineError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
