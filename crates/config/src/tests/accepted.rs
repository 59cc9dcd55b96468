//! The accepted values, and their meaning.

use std::path::Path;

use input::{Format, FormatChoice};
use model::{Keep, Linkage, PublishedLinks};
use model::{KeyRule, PermutationFamily, Ratio, Sampling};
use sketch::{Family, FingerprintBits, FingerprintKeys, ShingleKind, TokenUnit};

use super::super::UNLIMITED_COMMON_SHINGLES;
use super::{accepted, check};

#[test]
fn input_values() {
    let config = check(
        "version = 1\n[input]\npaths = [\"a\", \"@b\", \"../c/*.gz\"]\nformat = \"wet\"\nid-field = \"i\"\n\
         text-field = \"t\"\nhtml-field = \"h\"\nurl-field = \"u\"\ndate-field = \"d\"\ncarry-fields = [\"x\", \"y\"]\n\
         max-document = \"1MB\"\nmax-rejected = \"2.5%\"\n",
    )
    .expect("a configuration");
    let input = config.input;
    assert_eq!(input.paths, ["a", "@b", "../c/*.gz"]);
    assert_eq!(input.format, FormatChoice::Only(Format::Warc));
    let fields = &input.fields;
    assert_eq!(
        [
            &fields.id,
            &fields.text,
            &fields.html,
            &fields.url,
            &fields.date
        ],
        ["i", "t", "h", "u", "d"]
    );
    assert_eq!(fields.carry, ["x", "y"]);
    assert_eq!(
        (input.max_document_bytes, input.max_rejected),
        (1_000_000, 0.025)
    );
    for (written, share) in [
        ("0", 0.0),
        ("1", 1.0),
        ("0.05", 0.05),
        ("\"100%\"", 1.0),
        ("\" 7 %\"", 0.07),
    ] {
        let text = format!("version = 1\n[input]\npaths = [\"a\"]\nmax-rejected = {written}\n");
        assert_eq!(
            check(&text).expect("a configuration").input.max_rejected,
            share,
            "{written}"
        );
    }
}

#[test]
fn work_values() {
    let work = accepted(
        "[work]\ndir = \"../w\"\noutput = \"/o\"\nmemory = 67108864\ndisk = \"1TB\"\nthreads = 3",
    )
    .work;
    assert_eq!(
        (work.dir.as_path(), work.output.as_path()),
        (Path::new("/nowhere/../w"), Path::new("/o"))
    );
    assert_eq!(
        (work.memory_bytes, work.disk_bytes, work.threads),
        (64 << 20, Some(1_000_000_000_000), 3)
    );
    let work = accepted("work = { threads = 0, disk = 5 }").work;
    assert!((1..=1024).contains(&work.threads));
    assert_eq!(work.disk_bytes, Some(5));
    assert_eq!(accepted("work.threads = 1024").work.threads, 1024);
    assert_eq!(work.metrics, None);
    let work = accepted("work.metrics = \"m/crawl.prom\"").work;
    assert_eq!(
        work.metrics.as_deref(),
        Some(Path::new("/nowhere/m/crawl.prom"))
    );
}

#[test]
fn sketch_values() {
    let sketch = accepted(
        "[sketch]\ntokens = \"lines\"\ndrop-numbers = true\nshingle-size = 1\nshingles = \"labelled\"\n\
         fingerprint = \"rabin\"\nfingerprint-bits = 40\nseed = \"s\"\nshingle-class-min = 1\n[sketch.method]\nkind = \"modulus\"\nmodulus = 25\n",
    )
    .sketch;
    let params = sketch.params();
    assert_eq!(
        (params.tokens, params.shingles, params.bits, params.family),
        (
            TokenUnit::Lines,
            ShingleKind::Labelled,
            FingerprintBits::B40,
            Family::Rabin
        )
    );
    assert!(params.drop_numbers);
    assert_eq!((params.shingle_size, sketch.shingle_class_min), (1, 1));
    assert_eq!(params.sampling, Sampling::Modulus { modulus: 25 });
    assert_eq!(params.keys, FingerprintKeys::from_seed("s"));
    assert!(!sketch.seed_is_default);
    for (method, sampling) in [
        (
            "{ kind = \"modulus\", modulus = 1 }",
            Sampling::Modulus { modulus: 1 },
        ),
        (
            "{ kind = \"adaptive-modulus\" }",
            Sampling::Adaptive {
                target: 128,
                coarsest_log2: 5,
            },
        ),
        (
            "{ coarsest = 32768, target = 1, kind = \"adaptive-modulus\" }",
            Sampling::Adaptive {
                target: 1,
                coarsest_log2: 15,
            },
        ),
        (
            "{ kind = \"adaptive-modulus\", coarsest = 1 }",
            Sampling::Adaptive {
                target: 128,
                coarsest_log2: 0,
            },
        ),
        (
            "{ kind = \"min\" }",
            Sampling::Min {
                size: 128,
                modulus: 1,
            },
        ),
        (
            "{ kind = \"min-of-modulus\" }",
            Sampling::Min {
                size: 128,
                modulus: 4,
            },
        ),
    ] {
        let sketch = accepted(&format!("sketch.method = {method}")).sketch;
        assert_eq!(
            (sketch.sampling, sketch.sort_keys),
            (sampling, KeyRule::Elements),
            "{method}"
        );
    }
}

#[test]
fn min_hashes_have_keys_of_bands_and_super_shingles() {
    let minhash = |permutations, family| Sampling::MinHash {
        permutations,
        family,
    };
    let super_shingles = |length, shared| KeyRule::SuperShingles { length, shared };
    let (keyed, linear) = (PermutationFamily::Keyed, PermutationFamily::Linear);
    let min = Sampling::Min {
        size: 128,
        modulus: 1,
    };
    for (method, sampling, keys) in [
        (
            "{ kind = \"minhash\", family = \"linear\" }",
            minhash(200, linear),
            KeyRule::Elements,
        ),
        (
            "{ kind = \"minhash\", permutations = 125, bands = 25 }",
            minhash(125, keyed),
            KeyRule::Bands { rows: 5, shared: 1 },
        ),
        (
            "{ kind = \"minhash\", permutations = 60, bands = 15, shared = 2 }",
            minhash(60, keyed),
            KeyRule::Bands { rows: 4, shared: 2 },
        ),
        (
            "{ kind = \"minhash\", numpy-seed = 42 }\nsketch.fingerprint-bits = 32",
            minhash(200, PermutationFamily::Numpy { seed: 42, bits: 32 }),
            KeyRule::Elements,
        ),
        ("{ kind = \"super-shingles\" }", min, super_shingles(4, 1)),
        (
            "{ kind = \"super-shingles\", sketch = \"minhash\", length = 14, shared = 2 }",
            minhash(200, keyed),
            super_shingles(14, 2),
        ),
    ] {
        let sketch = accepted(&format!("sketch.method = {method}")).sketch;
        assert_eq!(
            (sketch.sampling, sketch.sort_keys),
            (sampling, keys),
            "{method}"
        );
    }
}

#[test]
fn pairs_and_cluster_values() {
    let floor = |text: &str| accepted(text).floor().map(|floor| floor.to_f64());
    assert_eq!(
        (floor(""), floor("pairs.floor = 0.4")),
        (Some(0.25), Some(0.4))
    );
    assert_eq!(
        floor("pairs.floor = 0.4\ncluster.resemblance = 0.3"),
        Some(0.3),
        "never above what links need"
    );
    assert_eq!(
        [floor("pairs.floor = 0"), floor("cluster.resemblance = 0")],
        [None; 2]
    );
    assert_eq!(
        floor("cluster.containment = 0.9"),
        None,
        "any pair may be a link then"
    );
    assert_eq!(
        accepted("pairs.common-shingle-limit = 1")
            .pairs
            .common_shingle_limit,
        1
    );
    let unlimited = accepted("pairs.common-shingle-limit = \"unlimited\"").pairs;
    assert_eq!(unlimited.common_shingle_limit, UNLIMITED_COMMON_SHINGLES);

    let cluster = accepted(
        "[cluster]\nresemblance = 0.6\ncontainment = 1\ncontainment-joins = true\nmin-shared = 1\nlinkage = \"star\"\nlinks = \"all\"\n",
    )
    .cluster;
    assert!(cluster.resemblance.reached_by(Ratio::new(3, 5)));
    assert!(
        cluster
            .containment
            .is_some_and(|threshold| threshold.reached_by(Ratio::new(1, 1)))
    );
    assert!(cluster.containment_joins);
    assert_eq!((cluster.min_shared, cluster.linkage), (1, Linkage::Star));
    assert_eq!(cluster.links, PublishedLinks::All);
    assert_eq!(
        accepted("cluster.resemblance = 0")
            .cluster
            .resemblance
            .to_f64(),
        0.0
    );
    // decimals are taken as written: this one is below 1/3, its neighbour is not
    let third = accepted("cluster.resemblance = 0.3333").cluster.resemblance;
    assert!(
        third.reached_by(Ratio::new(3333, 10_000)) && !third.reached_by(Ratio::new(3332, 10_000))
    );
}

#[test]
fn keep_values() {
    let field = |name: &str, descending| Keep::Field {
        name: name.to_owned(),
        descending,
    };
    for (written, keep) in [
        ("first", Keep::First),
        ("longest", Keep::Longest),
        ("oldest", Keep::Oldest),
        ("newest", Keep::Newest),
        ("field:score", field("score", false)),
        ("field:score:desc", field("score", true)),
        ("field:desc", field("desc", false)),
        ("field:a:b", field("a:b", false)),
        (
            "hosts:[a.example, B.example ]",
            Keep::Hosts(vec!["a.example".to_owned(), "b.example".to_owned()]),
        ),
        (
            "hosts:[bücher.example]",
            Keep::Hosts(vec!["bücher.example".to_owned()]),
        ),
    ] {
        let fields = "input.carry-fields = [\"score\", \"desc\", \"a:b\"]";
        assert_eq!(
            accepted(&format!("{fields}\ncluster.keep = {written:?}"))
                .cluster
                .keep,
            keep,
            "{written}"
        );
    }
}
