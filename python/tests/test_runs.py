"""Runs, their results, and tables of rows with their clusters."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import altavista_dedup
import pyarrow
from samples import LINES, PROGRAM, ROOT, files, pages


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.place.name)
        cls.config = path / "pipeline.toml"
        web = ROOT / "data-samples/web/*.warc.gz"
        cls.config.write_text(f'version = 1\n[input]\npaths = ["{web}"]\n[sketch]\nseed = "s"\n')
        cls.told = []
        cls.ran = altavista_dedup.run(cls.config, progress=lambda *told: cls.told.append(told))
        cls.out = path / "out"

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_progress_names_every_task_to_its_end(self):
        last = {task: (done, total) for task, done, total, _ in self.told}
        self.assertIn("sketch", last)
        self.assertIn("pairs", last)
        self.assertEqual({unit for task, *_, unit in self.told if task == "sketch"}, {"bytes"})
        self.assertEqual(last["sketch"][0], last["sketch"][1])

    def test_the_report_and_the_tables_are_those_of_the_files(self):
        self.assertEqual(self.ran.path, self.out)
        documents = pyarrow.table(self.ran.table("documents"))
        self.assertEqual(len(documents), self.ran.report["input"]["documents"])
        self.assertEqual(len(self.ran.table("documents")), len(documents))
        for name in ["membership", "clusters", "removed", "pairs"]:
            from pyarrow import parquet

            file = parquet.read_table(self.out / f"{name}.parquet")
            table = pyarrow.table(self.ran.table(name))
            self.assertEqual(table.to_pylist(), file.to_pylist())
            self.assertEqual(self.ran.table(name).column_names, file.column_names)
        with self.assertRaisesRegex(altavista_dedup.ConfigError, "known tables"):
            self.ran.table("no")
        with self.assertRaisesRegex(altavista_dedup.NotFoundError, "two snapshots"):
            self.ran.table("changes")

    def test_questions_have_the_answers_of_the_program(self):
        query = altavista_dedup.open(self.out).query
        removed = pyarrow.table(self.ran.table("removed")).to_pylist()[0]
        answer = query.url(removed["url"])
        self.assertEqual(answer["keep"], False)
        cluster = query.cluster(answer["cluster_id"], limit=100)
        self.assertIn(removed["doc_id"], [member["doc_id"] for member in cluster["members"]])
        ranked = query.group([removed["url"], removed["kept_url"], "http://no.example/"])
        self.assertEqual([group["rank"] for group in ranked["groups"]], [1, 3])
        self.assertEqual(ranked["unknown"], 1)
        like = query.like(removed["url"])
        self.assertGreater(len(like["found"]), 0)
        with self.assertRaises(altavista_dedup.NotFoundError):
            query.url("http://no.example/")
        with self.assertRaisesRegex(ValueError, "one of them"):
            query.like()
        with self.assertRaisesRegex(ValueError, "minimum from 0 to 1"):
            query.like(text="a b c", minimum=2)
        with self.assertRaisesRegex(ValueError, 'got "near"'):
            query.like("0", relation="near")

    def test_a_text_at_hand_is_found(self):
        with tempfile.TemporaryDirectory() as place:
            texts = list(pages(4))
            lines = pathlib.Path(place, "texts.jsonl")
            import json

            lines.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
            sections = {
                "input": {"paths": [lines]},
                "work": {"dir": f"{place}/work", "output": f"{place}/out"},
            }
            ran = altavista_dedup.run(sections, progress=False)
            found = ran.query.like(text=texts[2] + " and more", minimum=0.5)["found"]
            self.assertEqual({row["doc_id"] for row in found}, {2, 3})
            with self.assertRaisesRegex(ValueError, "seed"):
                altavista_dedup.open(f"{place}/out").query

    @unittest.skipUnless(PROGRAM, "PIPELINE_PROGRAM names no program")
    def test_the_program_makes_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as place:
            config = pathlib.Path(place, "pipeline.toml")
            config.write_text(self.config.read_text())
            subprocess.run([PROGRAM, "-q", "run"], cwd=place, check=True)
            theirs, ours = files(f"{place}/out"), files(self.out)
            self.assertGreater(len(ours), 10)
            # Not the bytes themselves: a failed assertion would align them.
            differ = {name for name in theirs | ours if theirs.get(name) != ours.get(name)}
            self.assertEqual(differ, set())

    def test_rows_to_keep_are_those_of_the_membership(self):
        documents = pyarrow.table(self.ran.table("documents"))
        keep = pyarrow.table(self.ran.table("membership"))["keep"].to_pylist()
        mask = self.ran.keep_mask(documents, on="doc_id")
        self.assertEqual(mask.tolist(), keep)
        self.assertEqual(len(documents.filter(pyarrow.array(mask))), sum(keep))
        self.assertEqual(self.ran.keep_mask(documents, on="id").tolist(), keep)
        known = {}
        for url, stays in zip(documents["url"].to_pylist(), keep):
            known[url] = known.get(url, False) or stays
        urls = ["http://no.example/", None, *known]
        table = pyarrow.table({"url": urls})
        self.assertEqual(self.ran.keep_mask(table, on="url").tolist(), [True, True, *known.values()])
        with self.assertRaisesRegex(ValueError, 'got "words"'):
            self.ran.keep_mask(documents, on="words")

    def test_errors_have_classes(self):
        with self.assertRaises(altavista_dedup.NotFoundError):
            altavista_dedup.open("no/such/out")
        with tempfile.TemporaryDirectory() as place:
            empty = pathlib.Path(place, "empty.jsonl")
            empty.write_text("{}\n")
            work = {"dir": f"{place}/work", "output": f"{place}/out"}
            sections = {"input": {"paths": [empty]}, "work": work}
            with self.assertRaises(altavista_dedup.InputError) as caught:
                altavista_dedup.run(sections, progress=False)
            self.assertEqual(caught.exception.exit_code, 3)
            with self.assertRaises(altavista_dedup.NotFoundError):
                altavista_dedup.run({"input": {"paths": [f"{place}/none"]}, "work": work}, progress=False)
            # The default configuration names samples; nobody asked for them.
            with self.assertRaisesRegex(altavista_dedup.ConfigError, 'missing key "paths"'):
                altavista_dedup.run({"work": work}, progress=False)
            snapshots = {"path": f"{place}/crawls/{{name}}"}
            with self.assertRaisesRegex(altavista_dedup.NotFoundError, "a snapshot"):
                altavista_dedup.run({"snapshots": snapshots, "work": work}, progress=False)
            sections = {"input": {"paths": [LINES]}, "work": {**work, "disk": "1KiB"}}
            with self.assertRaises(altavista_dedup.NoSpaceError):
                altavista_dedup.run(sections, progress=False)
        with self.assertRaises(ZeroDivisionError):
            with tempfile.TemporaryDirectory() as place:
                work = {"dir": f"{place}/work", "output": f"{place}/out"}
                sections = {"input": {"paths": [LINES]}, "work": work}
                altavista_dedup.run(sections, progress=lambda *told: 1 / 0)

    def test_a_second_run_is_refused_and_damage_is_found(self):
        with tempfile.TemporaryDirectory() as place:
            work = {"dir": f"{place}/work", "output": f"{place}/out"}
            sections = {"input": {"paths": [LINES]}, "work": work}

            def again(*told):
                with self.assertRaises(altavista_dedup.BusyError) as caught:
                    altavista_dedup.run(sections, progress=False)
                self.assertEqual(caught.exception.pid, os.getpid())
                raise InterruptedError

            with self.assertRaises(InterruptedError):
                altavista_dedup.run(sections, progress=again)
            ran = altavista_dedup.run(sections, progress=False)
            table = pathlib.Path(place, "out", "membership.parquet").resolve()
            table.chmod(0o600)
            table.write_bytes(table.read_bytes()[:-20])
            with self.assertRaises(altavista_dedup.DamageError):
                ran.table("membership")


class Rows(unittest.TestCase):
    texts = [*pages(6), None, "", "one of its own with ten words or a few more here"]

    def check(self, table):
        found = pyarrow.table(altavista_dedup.dedup(table, text="content"))
        self.assertEqual(found["cluster"].to_pylist(), [0, 0, 2, 2, 4, 4, 6, 7, 8])
        keep = found["keep"].to_pylist()
        self.assertEqual(keep, [row in (0, 2, 4, 6, 7, 8) for row in range(9)])
        resemblance = found["resemblance"].to_pylist()
        self.assertEqual(resemblance[0], 1.0)
        self.assertTrue(0.5 <= resemblance[1] < 1.0, resemblance)
        self.assertEqual(resemblance[6], None)

    def test_tables_of_every_library_are_taken(self):
        self.check(pyarrow.table({"content": self.texts}))
        batches = [pyarrow.table({"content": [text]}) for text in self.texts[:6]]
        rest = pyarrow.table({"content": self.texts[6:]})
        self.check(pyarrow.concat_tables([*batches, rest]))
        self.check(pyarrow.record_batch({"content": self.texts}))
        self.check(pyarrow.table({"content": self.texts}).to_reader())
        for library, make in [
            ("polars", lambda m: m.DataFrame({"content": self.texts})),
            ("pandas", lambda m: m.DataFrame({"content": self.texts})),
            ("duckdb", lambda m: m.sql("SELECT unnest($texts) AS content", params={"texts": self.texts})),
            ("datasets", lambda m: m.Dataset.from_dict({"content": self.texts})),
        ]:
            with self.subTest(library):
                try:
                    module = __import__(library)
                except ImportError:
                    self.skipTest(f"{library} is not installed")
                self.check(make(module))

    def test_thresholds_and_further_sections_count(self):
        table = pyarrow.table({"t": self.texts})
        found = altavista_dedup.dedup(table, text="t", threshold=0.999)
        self.assertEqual(pyarrow.table(found)["keep"].to_pylist(), [True] * 9)
        longest = {"cluster": {"keep": "longest"}, "work": {"dir": "/nowhere"}}
        kept = altavista_dedup.dedup(
            pyarrow.table({"t": ["a " + self.texts[0], self.texts[0] + " b c d e"]}),
            text="t",
            config=longest,
        )
        self.assertEqual(pyarrow.table(kept)["keep"].to_pylist(), [False, True])
        self.assertEqual(len(altavista_dedup.dedup(pyarrow.table({"t": pyarrow.nulls(3)}), text="t")), 3)
        with self.assertRaisesRegex(ValueError, "from 0 to 1"):
            altavista_dedup.dedup(table, text="t", threshold=50)
        with self.assertRaises(altavista_dedup.ConfigError):
            altavista_dedup.dedup(table, text="t", config={"cluster": {"linkage": "chain"}})

    def test_the_rows_are_the_input_whatever_the_configuration_says(self):
        table = pyarrow.table({"content": self.texts})
        found = pyarrow.table(altavista_dedup.dedup(table))
        elsewhere = {
            "input": {"paths": ["/nowhere"], "format": "text", "text-field": "body", "max-rejected": "0%"},
            "snapshots": {"path": "/nowhere/{name}"},
            "cluster": {"containment": None},
        }
        self.assertEqual(pyarrow.table(altavista_dedup.dedup(table, config=elsewhere)), found)

    def test_large_texts_are_compared_too(self):
        text = " ".join(f"w{n}" for n in range(3_000_000))
        self.assertGreater(len(text), 17 << 20)
        table = pyarrow.table({"content": [text, "x " + text]})
        found = pyarrow.table(altavista_dedup.dedup(table))
        self.assertEqual(found["cluster"].to_pylist(), [0, 0])

    def test_nothing_is_left_in_the_temporary_directory(self):
        with tempfile.TemporaryDirectory() as place:
            altavista_dedup.dedup(pyarrow.table({"content": self.texts}), directory=place)
            self.assertEqual(os.listdir(place), [])

    def test_ctrl_c_ends_a_call_within_a_second(self):
        program = """
import sys
sys.path.insert(0, "tests")
import altavista_dedup, pyarrow
from samples import pages
table = pyarrow.table({"content": list(pages(20_000)) * 40})
print("ready", flush=True)
try:
    CALL
except KeyboardInterrupt:
    print("stopped")
"""
        calls = {
            "altavista_dedup.dedup(table)": (0.3, 2.0),
            "altavista_dedup.Sketcher().sketch(table, text='content')": (0.3,),
        }
        for call, delays in calls.items():
            for delay in delays:
                with self.subTest(call=call, delay=delay):
                    process = subprocess.Popen(
                        [sys.executable, "-c", program.replace("CALL", call)],
                        stdout=subprocess.PIPE,
                        text=True,
                        cwd=pathlib.Path(__file__).resolve().parents[1],
                    )
                    self.assertEqual(process.stdout.readline(), "ready\n")
                    time.sleep(delay)
                    process.send_signal(signal.SIGINT)
                    began = time.monotonic()
                    self.assertEqual(process.stdout.readline(), "stopped\n")
                    took = time.monotonic() - began
                    process.wait()
                    process.stdout.close()
                    self.assertLess(took, 1.0)


class Datasets(unittest.TestCase):
    """Datasets of Hugging Face, whose rows may be others than those of the table below them."""

    @classmethod
    def setUpClass(cls):
        import datasets

        datasets.disable_progress_bars()
        cls.datasets = datasets
        rows = {"id": list(range(7)), "content": [*list(pages(12))[::2], next(pages(1)) + " tail"]}
        cls.dataset = datasets.Dataset.from_dict(rows)

    def test_the_rows_are_those_of_the_dataset(self):
        given = self.dataset
        for name, dataset in {
            "as it is": given,
            "shuffled": given.shuffle(seed=0),
            "selected": given.select([1, 6, 2, 0, 3]),
            "sorted": given.sort("id", reverse=True),
            "filtered": given.filter(lambda row: row["id"] != 3),
            "split": given.train_test_split(test_size=2, seed=1)["train"],
            "formatted": given.shuffle(seed=1).with_format("numpy", columns=["id"]),
            "in two": self.datasets.concatenate_datasets([given.select([5, 1]), given.select([6, 0, 2])]),
            "empty": given.select([]),
        }.items():
            with self.subTest(name):
                ids = list(dataset["id"])
                alone = pyarrow.table({"content": [given[int(id)]["content"] for id in ids]}, pyarrow.schema([("content", pyarrow.string())]))
                found = pyarrow.table(altavista_dedup.dedup(dataset))
                self.assertEqual(found, pyarrow.table(altavista_dedup.dedup(alone)))
                self.assertEqual(len(found), len(ids))
                copies = [int(id) for id, row in zip(ids, found.to_pylist()) if not row["keep"]]
                self.assertEqual(len(copies), {0, 6} <= {int(id) for id in ids})
        sketcher = altavista_dedup.Sketcher()
        given = given.select([3, 1])
        sketched = pyarrow.table(sketcher.sketch(given, text="content"))
        alone = pyarrow.table({"content": given["content"][:]})
        self.assertEqual(sketched, pyarrow.table(sketcher.sketch(alone, text="content")))

    def test_what_has_no_rows_to_number_is_refused(self):
        both = self.datasets.DatasetDict(train=self.dataset, test=self.dataset)
        with self.assertRaisesRegex(TypeError, r'DatasetDict.*dataset\["train"\]'):
            altavista_dedup.dedup(both)
        with self.assertRaisesRegex(TypeError, "IterableDataset"):
            altavista_dedup.dedup(self.dataset.to_iterable_dataset())


if __name__ == "__main__":
    unittest.main()
