"""Runs, their results, and tables of rows with their clusters."""

import datetime
import decimal
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import altavista_dedup
import pyarrow
from samples import LINES, PROGRAM, ROOT, files, pages, started

# A program that makes a call which takes some seconds.
LONG_CALL = """
import signal, sys
import altavista_dedup, pyarrow
from samples import pages
table = pyarrow.table({"content": list(pages(2_000)) * 400})
print("ready", flush=True)
try:
    CALL
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


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
        with self.assertRaisesRegex(altavista_dedup.NotFoundError, "--passages 50"):
            query.passages()
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
            ran = altavista_dedup.run({**sections, "passages": {"words": 5}}, progress=False)
            first = ran.query.passages(limit=1)["most_repeated"][0]
            of_document = ran.query.passages(str(first["doc_id"]))
            self.assertIn(first["text"], [one["text"] for one in of_document["passages"]])
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
        self.assertEqual(resemblance[::2], [1.0, 1.0, 1.0, None, None])
        self.assertTrue(0.5 <= resemblance[1] < 1.0, resemblance)
        self.assertEqual(resemblance[7], None)

    def test_rows_without_words_are_alone(self):
        texts = ["", None, "", " ", " ", "...", "...", "a", "a"]
        found = pyarrow.table(altavista_dedup.dedup(pyarrow.table({"content": texts}))).to_pydict()
        self.assertEqual(found["cluster"], [*range(8), 7])
        self.assertEqual(found["keep"], [True] * 8 + [False])
        self.assertEqual(found["resemblance"], [None] * 7 + [1.0, 1.0])

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

    def test_passages_are_those_of_a_count_of_all_windows(self):
        notice = " ".join(f"notice{n}" for n in range(30))
        texts = [f"Alpha — {notice.upper()}, the end", None, "nothing here", f"beta gamma {notice} and {notice}"]
        found = pyarrow.table(altavista_dedup.passages(pyarrow.table({"content": texts}), words=20)).to_pydict()
        self.assertEqual(found["row"], [0, 3, 3])
        self.assertEqual((found["begin_word"], found["end_word"]), ([1, 2, 33], [31, 32, 63]))
        self.assertEqual((found["places_min"], found["places_max"], found["rows"]), ([3] * 3, [3] * 3, [2] * 3))
        self.assertEqual((found["source_row"], found["source_begin"]), ([0] * 3, [1] * 3))
        self.assertEqual(found["is_source"], [True, False, False])
        characters = zip(found["row"], found["begin_character"], found["end_character"])
        self.assertEqual([texts[row][begin:end].lower() for row, begin, end in characters], [notice] * 3)
        nothing = altavista_dedup.passages(pyarrow.table({"content": ["a", None]}))
        self.assertEqual((len(nothing), nothing.column_names[0]), (0, "row"))
        with self.assertRaisesRegex(altavista_dedup.ConfigError, "words in .passages.: expected a whole number"):
            altavista_dedup.passages(pyarrow.table({"content": texts}), words=1)

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
        calls = {
            "altavista_dedup.dedup(table)": (0.3, 2.0),
            "altavista_dedup.Sketcher().sketch(table, text='content')": (0.3,),
        }
        for call, delays in calls.items():
            for delay in delays:
                with self.subTest(call=call, delay=delay):
                    process = started(LONG_CALL.replace("CALL", call))
                    time.sleep(delay)
                    process.send_signal(signal.SIGINT)
                    began = time.monotonic()
                    self.assertEqual(process.stdout.readline(), "stopped\n")
                    took = time.monotonic() - began
                    process.wait()
                    process.stdout.close()
                    self.assertLess(took, 1.0)

    def ended(self, number, call="altavista_dedup.dedup(table, directory=sys.argv[1])"):
        """A call that a signal ends, and what it leaves in its directory."""
        with tempfile.TemporaryDirectory() as place:
            process = started(LONG_CALL.replace("CALL", call), place)
            while not list(pathlib.Path(place).glob("*/texts.jsonl")):
                time.sleep(0.01)
            process.send_signal(number)
            said = process.stdout.read()
            code = process.wait()
            process.stdout.close()
            left = os.listdir(place)
            altavista_dedup.dedup(pyarrow.table({"content": self.texts}), directory=place)
            self.assertEqual(os.listdir(place), [])
            return said, code, left

    def test_a_signal_that_ends_the_process_leaves_no_text(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(self.ended(number), ("", -number, []))
        # A handler of the caller is the caller's.
        own = "signal.signal(signal.SIGTERM, lambda *_: print('own'))"
        said, code, _ = self.ended(signal.SIGTERM, f"{own}; altavista_dedup.dedup(table.slice(0, 100_000), directory=sys.argv[1])")
        self.assertEqual((said, code), ("own\n", 0))

    def test_the_texts_of_a_killed_process_are_removed_by_the_next_call(self):
        said, code, left = self.ended(signal.SIGKILL)
        self.assertEqual((said, code, len(left)), ("", -signal.SIGKILL, 1))

    def test_no_call_removes_the_texts_of_another(self):
        with tempfile.TemporaryDirectory() as place:
            table = pyarrow.table({"content": self.texts})
            inner = []

            def another(*_):
                if not inner:
                    inner.append(pyarrow.table(altavista_dedup.dedup(table, directory=place)))

            found = altavista_dedup.dedup(table, directory=place, progress=another)
            self.assertEqual(pyarrow.table(found), inner[0])

    def test_a_full_disk_is_told_with_the_remedy(self):
        """The limit on the size of files stands for the disk: of the texts, and of the sketches."""
        program = """
import resource, sys, altavista_dedup, pyarrow
table = pyarrow.table({"content": [" ".join(str(n * at * at % 991) for at in range(100)) for n in range(5_000)]})
print("ready", flush=True)
for limit in (1 << 20, 5 << 19):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        altavista_dedup.dedup(table, config={"sketch": {"method": {"kind": "modulus", "modulus": 1}}})
    except altavista_dedup.NoSpaceError as error:
        print(error.exit_code, error)
"""
        process = started(program)
        said = process.stdout.read().splitlines()
        process.wait()
        process.stdout.close()
        self.assertEqual(len(said), 2, said)
        for line in said:
            self.assertRegex(line, "^4 failed to write .*ulimit -f.*directory=")
            self.assertNotIn("resumes", line)
        self.assertIn("texts.jsonl", said[0])
        self.assertNotIn("texts.jsonl", said[1])


class Keep(unittest.TestCase):
    """Which row of a cluster stays, by the columns of the table."""

    page = next(pages(1))

    def kept(self, keep, columns, **sections):
        """The row that stays of near-copies, whatever their order."""
        count = len(next(iter(columns.values())))
        texts = [f"{self.page} {'x' * row}" for row in range(count)]
        table = pyarrow.table({"content": texts, **columns})
        config = {"cluster": {"keep": keep}, **sections}
        kept = []
        for order in (list(range(count)), list(reversed(range(count)))):
            found = pyarrow.table(altavista_dedup.dedup(table.take(order), config=config))
            self.assertEqual(set(found["cluster"].to_pylist()), {0})
            kept.append([row for row, keep in zip(order, found["keep"].to_pylist()) if keep])
        self.assertEqual(kept[0], kept[1])
        return kept[0]

    def test_dates_of_every_form_count(self):
        days = [datetime.datetime(1970, 2, 1), datetime.datetime(2024, 1, 1), datetime.datetime(1969, 1, 1), None]
        forms = [pyarrow.array([day and day.isoformat() for day in days])]
        forms += [pyarrow.array(days, pyarrow.timestamp(unit)) for unit in ("s", "ms", "us", "ns")]
        forms += [pyarrow.array(days, kind) for kind in (pyarrow.timestamp("us", "UTC"), pyarrow.date32(), pyarrow.date64())]
        for dates in forms:
            with self.subTest(dates.type):
                self.assertEqual(self.kept("newest", {"date": dates}), [1])
                self.assertEqual(self.kept("oldest", {"date": dates}), [2])
        named = {"input": {"date-field": "seen"}}
        self.assertEqual(self.kept("newest", {"seen": [5.5, 7, None], "date": [3, 2, 1]}, **named), [1])

    def test_hosts_count(self):
        urls = ["http://a.example/x", "https://b.example:80/", None, "http://c.example/"]
        self.assertEqual(self.kept("hosts:[b.example, a.example]", {"url": urls}), [1])
        self.assertEqual(self.kept("hosts:[c.example]", {"at": urls}, input={"url-field": "at"}), [3])

    def test_the_best_row_by_any_column_stays(self):
        nan, inf = float("nan"), float("inf")
        for scores, highest, lowest in [
            ([2, 9, 3, None], 1, 0),
            ([nan, -1.5, inf, -inf], 2, 3),
            ([decimal.Decimal("0.50"), decimal.Decimal("-7.25"), decimal.Decimal("0.75")], 2, 1),
            (["b", "c" * 100, "a", None], 1, 2),
            ([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1), datetime.date(1950, 1, 1)], 1, 2),
            (pyarrow.array([2**64 - 1, 0, 5], pyarrow.uint64()), 0, 1),
            (pyarrow.array([1.5, 2.5, 0.5], pyarrow.float32()), 1, 2),
        ]:
            with self.subTest(scores=scores):
                self.assertEqual(self.kept("field:score:desc", {"score": scores}), [highest])
                self.assertEqual(self.kept("field:score", {"score": scores}), [lowest])
        # No name of a column is in the way of another one.
        for name in ("text", "date", "body", "kept-by"):
            self.assertEqual(self.kept(f"field:{name}:desc", {name: [1, 9, 3]}), [1])
        carried = {"input": {"carry-fields": ["score"]}}
        self.assertEqual(self.kept("field:score:desc", {"score": [1, 2, 3]}, **carried), [2])
        self.assertEqual(self.kept("field:good:desc", {"good": [False, True]}), [1])

    def test_a_column_that_is_not_there_is_named(self):
        for keep, columns, says in [
            ("newest", {"day": ["2020"]}, '"newest" and needs column "date"; the columns of the table are content, day; .*date-field'),
            ("hosts:[a]", {"day": ["2020"]}, 'column "url".*url-field'),
            ("field:score:desc", {"day": ["2020"]}, 'column "score"'),
        ]:
            with self.assertRaisesRegex(altavista_dedup.ConfigError, says):
                self.kept(keep, columns)
        for keep, columns in [("newest", {"date": [True]}), ("hosts:[a]", {"url": [1]}), ("field:x", {"x": [[1]]})]:
            with self.assertRaisesRegex(TypeError, "column .* holds .*, expected"):
                self.kept(keep, columns)

    def test_a_wrong_configuration_is_told_before_a_text_is_read(self):
        def batches():
            raise AssertionError("a batch was read")
            yield

        schema = pyarrow.schema([("content", pyarrow.string())])
        for cluster in ({"keep": "best"}, {"linkage": "chain"}, {"keep": "newest"}):
            reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
            with self.assertRaises(altavista_dedup.ConfigError):
                altavista_dedup.dedup(reader, config={"cluster": cluster})


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
