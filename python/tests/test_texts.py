"""Tokens, sketches and estimates of texts at hand."""

import json
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import altavista_dedup
import pyarrow
from samples import LINES, pages, records

DOCUMENT_COLUMNS = ["words", "shingles", "sketch_size", "modulus"]


class Texts(unittest.TestCase):
    def test_tokens_are_those_of_a_run(self):
        self.assertEqual(altavista_dedup.tokens("The Cat, the  DOG"), ["the", "cat", "the", "dog"])
        page = "<title>x</title><p>Two <b>words</b>"
        self.assertEqual(altavista_dedup.tokens(page, html=True)[-2:], ["two", "words"])
        chars = {"sketch": {"tokens": "chars"}}
        self.assertEqual(altavista_dedup.tokens("ab", config=chars), ["a", "b"])

    def test_items_of_references_are_found_in_rows(self):
        words = lambda number, count: " ".join(f"w{number}x{at}" for at in range(count))
        texts = [f"{words(90 + at, 30)} {words(at, 20).upper() if at % 2 else ''} end" for at in range(6)] + [None]
        table = pyarrow.table({"content": texts})
        questions = [{"id": f"q{at}", "question": words(at, 20)} for at in range(6)]
        expected = [{"contaminated": at in (1, 3, 5)} for at in range(7)]
        with tempfile.TemporaryDirectory() as directory:
            path = f"{directory}/bench.jsonl"
            with open(path, "w") as file:
                file.writelines(json.dumps(one) + "\n" for one in questions)
            found = pyarrow.table(altavista_dedup.decontaminate(table, path)).to_pylist()
            self.assertEqual([{"contaminated": row["contaminated"]} for row in found], expected)
            self.assertEqual((found[3]["share"], found[3]["item"]), (1.0, "q3"))
            self.assertTrue(found[3]["reference"].endswith("bench.jsonl"))
            self.assertIsNone(found[0]["item"])
            with self.assertRaises(altavista_dedup.InputError):
                altavista_dedup.decontaminate(table, path, least=30)
            nothing = altavista_dedup.decontaminate(pyarrow.table({"content": [None, ""]}), path)
            self.assertEqual(pyarrow.table(nothing)["contaminated"].to_pylist(), [False, False])

            def stop(*_):
                raise InterruptedError

            with self.assertRaises(InterruptedError):
                altavista_dedup.decontaminate(table, path, progress=stop)
        reference = pyarrow.table({"question": [one["question"] for one in questions]})
        found = pyarrow.table(altavista_dedup.decontaminate(table, reference)).to_pylist()
        self.assertEqual([row["item"] for row in found], [None, "1", None, "3", None, "5", None])

    def test_comparisons_are_exact_and_estimated(self):
        a, b = pages(2, words=4000, changed=400)
        compared = altavista_dedup.compare(a, b)
        exact = compared.exact.resemblance
        self.assertEqual(compared.exact.modulus, 1)
        self.assertEqual((exact.low, exact.high), (exact.value, exact.value))
        shared = compared.exact.shared / (
            compared.exact.size_a + compared.exact.size_b - compared.exact.shared
        )
        self.assertAlmostEqual(exact.value, shared)
        self.assertIsNotNone(compared.exact.containment_a_in_b)
        estimated = compared.estimated
        self.assertGreater(estimated.modulus, 1)
        self.assertLess(estimated.resemblance.low, estimated.resemblance.value)
        self.assertLess(estimated.resemblance.low, exact.value)
        self.assertLess(exact.value, estimated.resemblance.high)

    def test_texts_without_words_are_like_themselves_only(self):
        for config in (None, {"sketch": {"method": {"kind": "minhash", "permutations": 64}}}):
            for a, b, resemblance in [("", "", 1.0), ("...", "...", 1.0), ("", " ", 0.0), ("", "a word", 0.0)]:
                with self.subTest(a=a, b=b, config=config):
                    compared = altavista_dedup.compare(a, b, config=config)
                    for figures in (compared.exact, compared.estimated):
                        self.assertEqual(figures.resemblance.value, resemblance)
                        self.assertEqual(figures.resemblance.low, resemblance)

    def test_estimates_follow_from_the_counts_of_sketches(self):
        texts = list(pages(2, words=4000, changed=400))
        batch = pyarrow.table({"text": texts})
        rows = pyarrow.table(altavista_dedup.Sketcher().sketch(batch)).to_pylist()
        modulus = max(row["modulus"] for row in rows)
        a, b = ({print for print in row["sketch"]} for row in rows)
        compared = altavista_dedup.compare(*texts).estimated
        if rows[0]["modulus"] == rows[1]["modulus"]:
            estimated = altavista_dedup.estimate(len(a & b), len(a), len(b), modulus)
            self.assertEqual(repr(estimated), repr(compared))
        with self.assertRaisesRegex(ValueError, "at most 3 shared"):
            altavista_dedup.estimate(4, 3, 5, 8)
        with self.assertRaisesRegex(ValueError, "modulus"):
            altavista_dedup.estimate(1, 3, 5, 0)

    def test_sketches_are_the_rows_of_the_document_table(self):
        with tempfile.TemporaryDirectory() as place:
            sections = {
                "input": {"paths": [LINES]},
                "work": {"dir": f"{place}/work", "output": f"{place}/out"},
            }
            ran = altavista_dedup.run(sections, progress=False)
            table = pyarrow.table(ran.table("documents"))
        batch = pyarrow.table(
            {name: [record.get(name) for record in records()] for name in ["text", "html"]},
            schema=pyarrow.schema([("text", pyarrow.string()), ("html", pyarrow.string())]),
        )
        sketched = altavista_dedup.Sketcher(sections).sketch(batch, text="text", html="html")
        sketched = pyarrow.table(sketched).select(DOCUMENT_COLUMNS)
        known = table.select(DOCUMENT_COLUMNS).to_pylist()
        self.assertGreater(len(known), 50)
        self.assertEqual(
            [sketched.slice(row, 1).to_pylist()[0] for row in table["row"].to_pylist()], known
        )
        types = [table.schema.field(name).type for name in DOCUMENT_COLUMNS]
        self.assertEqual([sketched.schema.field(name).type for name in DOCUMENT_COLUMNS], types)

    def test_rows_without_text_have_no_sketch(self):
        for kind in [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]:
            batch = pyarrow.record_batch({"text": pyarrow.array(["a b c", None, ""], kind)})
            rows = pyarrow.table(altavista_dedup.Sketcher().sketch(batch)).to_pylist()
            self.assertEqual([row["words"] for row in rows], [3, None, 0])
        nothing = pyarrow.table({"text": pyarrow.nulls(2)})
        rows = pyarrow.table(altavista_dedup.Sketcher().sketch(nothing))
        self.assertEqual(rows["sketch"].null_count, 2)

    def test_wrong_tables_are_refused(self):
        sketcher = altavista_dedup.Sketcher()
        with self.assertRaisesRegex(ValueError, 'no column "text"; its columns are a, b'):
            sketcher.sketch(pyarrow.table({"a": ["x"], "b": ["y"]}))
        with self.assertRaisesRegex(TypeError, "holds Int64"):
            sketcher.sketch(pyarrow.table({"text": [1]}))
        with self.assertRaisesRegex(TypeError, "__arrow_c_stream__.*got list"):
            sketcher.sketch(["x"])
        with self.assertRaisesRegex(TypeError, "single column"):
            sketcher.sketch(pyarrow.array(["x"]))

    def test_all_problems_of_a_configuration_are_told(self):
        wrong = {"sketch": {"shingle-size": 0, "sed": "x"}, "cluster": {"resemblance": 2}}
        with self.assertRaises(altavista_dedup.ConfigError) as caught:
            altavista_dedup.Sketcher(wrong)
        problems = caught.exception.problems
        self.assertEqual(len(problems), 3, problems)
        self.assertTrue(problems[0].startswith("sketch.shingle-size: "), problems)
        self.assertEqual(caught.exception.exit_code, 2)
        with self.assertRaises(altavista_dedup.ConfigError):
            altavista_dedup.Sketcher("no/such/pipeline.toml")

    def test_threads_share_a_sketcher(self):
        sketcher = altavista_dedup.Sketcher()
        batches = [
            pyarrow.table({"text": [text + f" n{n}" for text in pages(400)]}) for n in range(4)
        ]
        alone = [pyarrow.table(sketcher.sketch(batch)) for batch in batches]
        together = [None] * len(batches)

        def work(n):
            together[n] = pyarrow.table(sketcher.sketch(batches[n]))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(len(batches))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(alone, together)

    def test_the_import_is_fast_and_needs_no_other_package(self):
        program = (
            "import time, sys; began = time.perf_counter(); import altavista_dedup;"
            "print(time.perf_counter() - began, 'pyarrow' in sys.modules, 'numpy' in sys.modules)"
        )
        runs = [
            subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            for _ in range(5)
        ]
        told = [run.stdout.split() for run in runs]
        self.assertEqual({tuple(words[1:]) for words in told}, {("False", "False")})
        self.assertLess(min(float(words[0]) for words in told), 0.05)


if __name__ == "__main__":
    unittest.main()
