"""Jobs of `altavista_dedup.spark` beside runs of the engine, on Sail, which needs no JVM.

`pysail` and `pyspark-client` are needed; where they are not installed, the tests pass by. This
module is no part of the other tests: `scripts/wheel --test` calls it by its name.
"""

import contextlib
import io
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import altavista_dedup
from altavista_dedup import spark
from samples import ROOT, files

WEB = ROOT / "data-samples/web/*.warc.gz"
FORMATS = {
    "web": f'paths = ["{WEB}"]',
    "jsonl": f'paths = ["{ROOT}/data-samples/jsonl"]',
    "parquet": f'paths = ["{ROOT}/data-samples/parquet"]',
}
CONFIGURATIONS = {
    "default": "",
    "no settling": '[pairs]\ncommon-shingle-limit = 4\n[cluster]\nsettle = "off"\n',
    "modulus": (
        '[pairs]\ncommon-shingle-limit = 20\n[cluster]\nresemblance = 0.3\ncontainment = 0.8\n'
        'containment-joins = true\nlinkage = "star"\nkeep = "longest"\n'
    ),
}
# Keys of [sketch]. Without shingle classes, lexical ones are not all within them.
SKETCHES = {
    "no settling": "shingle-class-min = 1000\n",
    "modulus": "method = { kind = \"modulus\", modulus = 5 }\n",
}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class OnSail(unittest.TestCase):
    """A server of Sail, and a directory with a configuration."""

    @classmethod
    def setUpClass(cls):
        try:
            import pysail  # noqa: F401
        except ImportError:
            raise unittest.SkipTest("pysail is not installed") from None
        cls.place = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.place.name)
        port = free_port()
        sail = pathlib.Path(sys.executable).with_name("sail")
        arguments = [sail, "spark", "server", "--port", str(port)]
        log = open(cls.path / "sail.log", "wb")
        cls.server = subprocess.Popen(arguments, stdout=log, stderr=log)
        log.close()
        cls.master = f"sc://127.0.0.1:{port}"
        for _ in range(600):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        raise RuntimeError("the server of Sail does not answer")

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()
        cls.server.wait()
        cls.place.cleanup()

    def configured(self, name, format="web", configuration="default"):
        """A configuration in a directory of its own."""
        path = self.path / name
        path.mkdir()
        config = path / "pipeline.toml"
        config.write_text(
            f'version = 1\n[input]\n{FORMATS[format]}\n[sketch]\nseed = "s"\n'
            f"{SKETCHES.get(configuration, '')}{CONFIGURATIONS[configuration]}"
        )
        return config

    def job(self, config, *, shards=3):
        """The work of Spark, and then that of the engine."""
        made = spark.Job(None, config, config.parent / "job", shards)
        made.session = spark.session(self.master, [])
        try:
            made.run()
        finally:
            made.session.stop()
        made.kernels.index()
        return files(config.parent / "out")


class Jobs(OnSail):
    def test_a_job_publishes_the_bytes_of_a_run(self):
        for format in FORMATS:
            for configuration in CONFIGURATIONS:
                with self.subTest(format=format, configuration=configuration):
                    name = f"{format} {configuration}"
                    here = self.configured(f"{name} run", format, configuration)
                    altavista_dedup.run(here, progress=False)
                    there = self.configured(f"{name} job", format, configuration)
                    self.assertEqual(self.job(there), files(here.parent / "out"))

    def test_questions_find_the_publication_of_a_job(self):
        config = self.configured("questions")
        spark.main(["run", str(config), str(config.parent / "job"), "--master", self.master])
        results = altavista_dedup.open(config.parent / "out", config)
        import pyarrow

        removed = pyarrow.table(results.table("removed")).to_pylist()[0]
        self.assertEqual(results.query.url(removed["url"])["keep"], False)
        self.assertGreater(len(results.query.like(removed["url"])["found"]), 0)

    def test_a_job_ends_at_once_if_its_tables_are_not_seen(self):
        config = self.configured("unseen")
        unseen = mock.patch.object(spark.Job, "write", lambda job, name, table: job.out / name)
        with unseen, self.assertRaisesRegex(SystemExit, "all machines share"):
            self.job(config)
        self.assertFalse((config.parent / "job/sketch.shards").exists())

    def test_a_job_is_run_again_in_its_directory(self):
        config = self.configured("again")
        job = str(config.parent / "job")
        for _ in range(2):
            spark.main(["run", str(config), job, "--master", self.master, "--no-index"])
        spark.Job(None, config, config.parent / "job", 16).kernels.index()

    def test_wrong_jobs_are_caught(self):
        """Each change of the job is refused, or the publication is another one."""
        right = self.configured("right", configuration="no settling")
        altavista_dedup.run(right, progress=False)
        right = files(right.parent / "out")
        for name, change in MUTANTS.items():
            with self.subTest(name):
                config = self.configured(name, configuration="no settling")
                with change():
                    try:
                        made = self.job(config)
                    except altavista_dedup.ConfigError as error:
                        self.assertIn("failed to import", str(error))
                        continue
                self.assertNotEqual(made, right)

    def test_pairs_of_another_configuration_or_other_shards_are_refused(self):
        config = self.configured("refused")
        self.job(config)
        job = config.parent / "job"
        before = config.read_text()
        config.write_text(before + "[pairs]\ncommon-shingle-limit = 7\n")
        with self.assertRaisesRegex(altavista_dedup.ConfigError, "common-shingle-limit was 1000"):
            spark.Job(None, config, job, 3).kernels.index()
        config.write_text(before)
        pairs = next((job / "pairs").glob("*.parquet"))
        pairs.rename(pairs.with_suffix(".gone"))
        with self.assertRaisesRegex(altavista_dedup.ConfigError, "is missing"):
            spark.Job(None, config, job, 3).kernels.index()


def without_a_posting():
    """The lowest shingle of two documents leaves one of them."""
    from pyspark.sql import functions as F

    pairs = spark.Job.pairs

    def wrong(self, representatives, postings, common):
        kept = postings.join(common, "shingle", "left_anti").groupBy("shingle")
        first = kept.agg(F.count("*").alias("n"), F.min("doc").alias("doc"))
        first = first.where("n > 1").orderBy("shingle").select("shingle", "doc").first()
        is_first = (F.col("shingle") == first["shingle"]) & (F.col("doc") == first["doc"])
        return pairs(self, representatives, postings.where(~is_first), common)

    return mock.patch.object(spark.Job, "pairs", wrong)


def with_another_limit():
    """A shingle of one document more is not common."""
    common = spark.Job.common

    def wrong(self, postings):
        from altavista_dedup import _native

        kernels = self.kernels
        text = self.arguments[0].replace("limit = 4", "limit = 5")
        self.kernels = _native.SparkKernels(text, *self.arguments[1:])
        try:
            return common(self, postings)
        finally:
            self.kernels = kernels

    return mock.patch.object(spark.Job, "common", wrong)


def without_common_counts():
    """The common shingles of sketches are not counted: the minimum of a pair is too high."""
    from pyspark.sql import functions as F

    mapped = spark.Job.mapped

    def wrong(self, kernel, schema):
        kept = mapped(self, kernel, schema)
        if kernel != "floor":
            return kept
        none = F.lit(0).cast("long")
        return lambda table: kept(table.withColumns({"common_a": none, "common_b": none}))

    return mock.patch.object(spark.Job, "mapped", wrong)


def with_ids_of_partitions():
    """Documents are numbered by the hash of their segment and place."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    documents = spark.Job.documents

    def wrong(self):
        order = Window.orderBy(F.hash("segment", "place"), "doc")
        return documents(self).withColumn("doc", F.row_number().over(order).cast("long") - 1)

    return mock.patch.object(spark.Job, "documents", wrong)


def with_a_revisit_among_the_documents():
    """A document more than there is: one that only stands for another."""
    documents = spark.Job.documents

    def wrong(self):
        made = documents(self)
        self.count += 1
        return made

    return mock.patch.object(spark.Job, "documents", wrong)


def without_lexical_classes():
    return mock.patch.object(spark, "KEYS", ("identical", "shingle"))


MUTANTS = {
    "a posting is dropped": without_a_posting,
    "the limit is off by one": with_another_limit,
    "common shingles are not counted": without_common_counts,
    "ids by partition": with_ids_of_partitions,
    "a revisit is a document": with_a_revisit_among_the_documents,
    "lexical classes are left out": without_lexical_classes,
}


class Refusals(unittest.TestCase):
    """What a job cannot do is refused before work begins; no session is needed."""

    def refused(self, text):
        with tempfile.TemporaryDirectory() as place:
            config = pathlib.Path(place, "pipeline.toml")
            config.write_text(f"version = 1\n{text}")
            out = pathlib.Path(place, "job")
            said = self.ended(config, out)
            self.assertFalse(out.exists())
            return said

    def ended(self, config, out, *options):
        """What a job says that ends with 2 before there is a session."""
        said = io.StringIO()
        with self.assertRaises(SystemExit) as raised, contextlib.redirect_stderr(said):
            spark.main(["run", str(config), str(out), "--master", "sc://no.example:1", *options])
        self.assertEqual(raised.exception.code, 2)
        return said.getvalue()

    def test_what_it_cannot_do_is_refused_by_name(self):
        fixed = f'[input]\n{FORMATS["web"]}\n[sketch]\nseed = "s"\nmethod = {{ kind = "min", size = 100 }}\n'
        self.assertIn("method of [sketch]", self.refused(fixed))
        snapshots = '[snapshots]\npath = "crawls/{name}/"\n[sketch]\nseed = "s"\n'
        self.assertIn("[snapshots]", self.refused(snapshots))

    def test_a_directory_of_something_else_is_left_alone(self):
        with tempfile.TemporaryDirectory() as place:
            config = pathlib.Path(place, "pipeline.toml")
            config.write_text(f'version = 1\n[input]\n{FORMATS["web"]}\n[sketch]\nseed = "s"\n')
            copies = pathlib.Path(place, "copies")
            copies.mkdir()
            copies.joinpath("page.html").write_text("a page")
            self.assertIn("is not the directory of a job", self.ended(config, place))
            self.assertIn("is not the directory of a job", self.ended(config, config))
            self.assertTrue(copies.joinpath("page.html").exists())

    def test_a_wrong_configuration_is_told_in_lines(self):
        with tempfile.TemporaryDirectory() as place:
            config, job = pathlib.Path(place, "pipeline.toml"), pathlib.Path(place, "job")
            self.assertRegex(self.ended(config, job), "^[^\n]*failed to open the configuration.*\n$")
            config.write_text('[input]\npaths = ["x"]\n')
            self.assertRegex(self.ended(config, job), "^[^\n]*version.*\n$")
            config.write_bytes(b"\xff")
            self.assertRegex(self.ended(config, job), "^[^\n]*UTF-8.*\n$")
            self.assertEqual(os.listdir(place), ["pipeline.toml"])

    def test_a_url_is_no_path(self):
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            config = pathlib.Path(place, "pipeline.toml")
            config.write_text(f'version = 1\n[input]\n{FORMATS["web"]}\n[sketch]\nseed = "s"\n')
            for job in ("s3://bucket/job", "file:///shared/job", "dbfs:/job"):
                self.assertIn(f"{job}: it is a URL", self.ended(config, job))
            self.assertIn("it is a URL", self.ended("s3://bucket/pipeline.toml", "job"))
            self.assertEqual(os.listdir(place), ["pipeline.toml"])

    def test_a_server_that_does_not_answer_ends_the_job(self):
        with tempfile.TemporaryDirectory() as place:
            config, job = pathlib.Path(place, "pipeline.toml"), pathlib.Path(place, "job")
            config.write_text(f'version = 1\n[input]\n{FORMATS["web"]}\n[sketch]\nseed = "s"\n')
            arguments = ["run", str(config), str(job), "--master"]
            began = time.monotonic()
            with mock.patch.object(spark, "ANSWER_S", 2), self.assertRaisesRegex(SystemExit, "failed to reach sc://127"):
                spark.main([*arguments, f"sc://127.0.0.1:{free_port()}"])
            self.assertLess(time.monotonic() - began, 10)
            self.assertIn("failed to use --master", self.ended(config, job, "--master", "sc://no.example/x"))
            self.assertFalse(job.exists())

    def test_options_without_sense_are_refused(self):
        with tempfile.TemporaryDirectory() as place:
            config, job = pathlib.Path(place, "pipeline.toml"), pathlib.Path(place, "job")
            self.assertIn("--shards must be", self.ended(config, job, "--shards", "0"))
            self.assertIn("expected KEY=VALUE", self.ended(config, job, "--conf", "spark.x"))


if __name__ == "__main__":
    unittest.main()
