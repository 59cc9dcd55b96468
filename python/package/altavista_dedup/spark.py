"""Finds the near-duplicates of a crawl with Spark, and publishes the tables of `pipeline run`.

    python -m altavista_dedup.spark run pipeline.toml OUT --master spark://HOST:7077

The workers read and sketch the input, find equal documents and common shingles, and count the
shingles that pairs share. The engine does the rest on the machine that starts the job: links,
clusters, tables and the query index. `--no-index` leaves that to `pipeline index --from OUT`.

Every worker needs this package, pyarrow and pandas, and sees the input and OUT at the same paths. The plan
is free of order: no result depends on the order in which rows arrive. Every definition is the
engine's: the kernels of `_native.SparkKernels` are called in `mapInArrow`.
"""

import argparse
import functools
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DOCUMENTS = (
    "segment int, place long, identical binary, lexical binary, shingle binary, "
    "sizes array<int>, sketch array<long>, counted array<long>"
)
PAIRS = "a long, b long, shared long"
BLOCKS = "shingle long, block long, counted long, beyond long, coarser long"
KEYS = ("identical", "lexical", "shingle")


class Job:
    """A job: the session, the configuration as text, and the directory that all workers see."""

    def __init__(self, session: Any, config: Path, out: Path, shards: int) -> None:
        from . import _native

        self.session, self.shards = session, shards
        self.arguments = (config.read_text(), str(config.absolute()), str(out.absolute()))
        self.out = out.absolute()
        self.kernels = _native.SparkKernels(*self.arguments)
        self.began = time.monotonic()

    def refuse(self) -> None:
        """Ends the job before work begins if the configuration asks for what it cannot do."""
        refusals = self.kernels.refusals()
        if refusals:
            sys.exit("\n".join(f"failed to start on Spark: {one}" for one in refusals))

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

    def stage(self, name: str, table: Any) -> Any:
        """Writes a table and reads it: what follows does not compute it again."""
        path = self.out / name
        shutil.rmtree(path, ignore_errors=True)
        table.write.mode("overwrite").parquet(str(path))
        print(f"{time.monotonic() - self.began:8.1f} s  {name}", file=sys.stderr, flush=True)
        if not list(path.glob("*.parquet")):  # Sail writes no file if there is no row.
            return self.session.createDataFrame([], table.schema)
        return self.session.read.parquet(str(path))

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

        # A shard of another division is of no use here, and must not be taken for one of this.
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

    def common(self, representatives: Any, postings: Any) -> Any:
        """The common shingles: by partial sums, and by the documents all of whose shingles are
        known."""
        from pyspark.sql import functions as F

        kernels = self.kernels
        sketches = postings.groupBy("shingle").agg(F.count("*").alias("sketches"))
        if kernels.counted_min is None:
            blocks = self.session.createDataFrame([], BLOCKS)
        else:
            counted = representatives.where("counted is not null").select("doc", "counted")
            counted = self.mapped("counted", "shingle long, part long, beyond long")(counted)
            blocks = counted.groupBy("shingle").agg(
                F.bit_xor("part").alias("block"),
                F.count("*").alias("counted"),
                F.sum("beyond").alias("beyond"),
            )
            blocks = blocks.where(F.col("counted") >= kernels.counted_min)
            blocks = self.mapped("coarser", BLOCKS)(blocks)
        known = sketches.join(blocks, "shingle", "full")
        known = known.withColumn("sketches", F.coalesce("sketches", F.lit(0)))
        known = known.where((F.col("sketches") > kernels.limit) | F.col("counted").isNotNull())
        known = self.stage("frequencies", known)
        # Fingerprints have no sign, so those that are negative here are the highest.
        order = F.struct("coarser", (F.col("shingle") < 0).alias("high"), "shingle", "beyond", "sketches")
        best = known.where("block is not null").groupBy("block").agg(F.min(order).alias("best"))
        best = best.select("block", *(F.col(f"best.{one}").alias(f"best_{one}") for one in ("coarser", "beyond", "sketches")))
        return self.stage("common", self.mapped("common", "shingle long")(known.join(best, "block", "left")))

    def pairs(self, representatives: Any, postings: Any, common: Any) -> Any:
        """The pairs that may reach the floor, with the shingles they share. Common shingles leave
        before anything is shuffled."""
        from pyspark.sql import functions as F

        kept = postings.join(F.broadcast(common), "shingle", "left_anti")
        lists = kept.groupBy("shingle").agg(F.collect_list("doc").alias("docs"))
        lists = lists.where(F.size("docs") > 1).select("docs")
        pairs = self.mapped("expand", PAIRS)(lists).groupBy("a", "b").agg(F.sum("shared").alias("shared"))
        if not self.kernels.has_floor:
            return pairs
        lost = postings.join(F.broadcast(common), "shingle", "left_semi")
        lost = lost.groupBy("doc").agg(F.collect_list("shingle").alias("common"))
        sizes = representatives.select("doc", "sizes").join(lost, "doc", "left")
        sizes = self.mapped("without_common", "doc long, sizes array<int>")(sizes)
        for side in ("a", "b"):
            of_side = sizes.select(F.col("doc").alias(side), F.col("sizes").alias(f"sizes_{side}"))
            pairs = pairs.join(of_side, side)
        return self.mapped("floor", PAIRS)(pairs)

    def run(self) -> None:
        """All of the work of Spark. The pair counts and the shards are then in OUT."""
        from pyspark.sql import functions as F

        shutil.rmtree(self.out / "pairs", ignore_errors=True)
        documents = self.documents()
        representatives = self.representatives(documents)
        postings = representatives.select("doc", F.explode("sketch").alias("shingle"))
        common = self.common(representatives, postings)
        pairs = self.pairs(representatives, postings, common).select("a", "b", "shared")
        self.stage("pairs", pairs)
        files = sorted(path.name for path in (self.out / "pairs").glob("*.parquet"))
        self.kernels.hand_over(files, self.count)


def session(master: str | None, settings: list[str]) -> Any:
    """The session of a master, of a Spark Connect server (`sc://HOST:PORT`), or of spark-submit."""
    from pyspark.sql import SparkSession

    # The workers of a local master need this Python, which has the packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    if master and master.startswith("sc:"):
        builder = builder.remote(master)
    elif master:
        builder = builder.master(master)
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
    run.add_argument("config", type=Path, help="the configuration, pipeline.toml")
    run.add_argument("out", type=Path, help="a directory for the job, which all workers see")
    run.add_argument("--master", help="a master, or sc://HOST:PORT; else that of spark-submit")
    run.add_argument("--shards", type=int, default=16, help="tasks that read the input [default: 16]")
    run.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark")
    run.add_argument("--no-index", action="store_true", help="leave tables and index to pipeline index --from OUT")
    given = parser.parse_args(arguments)
    job = Job(None, given.config, given.out, given.shards)
    job.refuse()
    given.out.mkdir(parents=True, exist_ok=True)
    job.session = session(given.master, given.conf)
    try:
        job.run()
    finally:
        job.session.stop()
    if given.no_index:
        print(f"next: pipeline index --from {given.out}", file=sys.stderr)
    else:
        job.kernels.index()


if __name__ == "__main__":
    main()
