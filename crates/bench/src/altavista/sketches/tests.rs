//! The real phases on generated sketches.

use super::*;
use crate::altavista::ALTAVISTA;

fn spec(dir: &Path, method: &str) -> Spec {
    Spec {
        dir: dir.join("run"),
        method: method.to_owned(),
        memory: "64MiB".to_owned(),
        threads: 2,
    }
}

/// Runs the phases from `distinct` to `cluster`; gives the counts of all, `phase.name`.
fn counts_of_a_run(spec: &Spec) -> BTreeMap<String, u64> {
    let config = pipeline::config::load(&spec.dir.join("pipeline.toml")).unwrap();
    let (from, until) = (Some(PhaseName::Distinct), Some(PhaseName::Cluster));
    pipeline::run(
        &config,
        &RunOptions {
            from,
            until,
            ..RunOptions::default()
        },
        &Reporter::silent(),
    )
    .unwrap();
    let manifest = Manifest::load(&Disk::default(), &config.work.dir)
        .unwrap()
        .unwrap();
    let counts = manifest.phases.iter().flat_map(|(phase, record)| {
        record
            .counts
            .iter()
            .map(move |(name, count)| (format!("{phase}.{name}"), *count))
    });
    counts.collect()
}

fn is_near(what: &str, found: u64, wanted: f64, per_cent: f64) {
    let off = (found as f64 / wanted - 1.0) * 100.0;
    assert!(
        off.abs() <= per_cent,
        "{what}: {found} is {off:.1} % off {wanted:.0}"
    );
}

#[test]
fn the_real_phases_find_what_the_model_says() {
    let dir = tempfile::tempdir().unwrap();
    let spec = spec(dir.path(), MODULUS_25);
    let documents = ALTAVISTA.documents / 300;
    let model = Model::of_sketches(3, documents);
    let written = spec.write(&model).unwrap();
    let counts = counts_of_a_run(&spec);
    let expected = model.expected(25, 1000);
    assert_eq!(
        (written.documents, counts["sketch.documents"]),
        (documents, documents)
    );
    assert_eq!(written.sampled, counts["sketch.sampled"]);
    is_near(
        "representatives",
        counts["distinct.representatives"],
        expected.representatives,
        2.0,
    );
    is_near("postings", counts["pairs.postings"], expected.postings, 3.0);
    // A few templates of hundreds of pages decide, and how many of a template's shingles are kept
    // is chance.
    is_near(
        "increments",
        counts["pairs.increments"],
        expected.increments,
        20.0,
    );
    let with_floor = counts["pairs.pairs"];
    is_near(
        "clusters",
        counts["cluster.clusters"],
        expected.clusters,
        3.0,
    );
    is_near(
        "clustered",
        counts["cluster.clustered_documents"],
        expected.clustered,
        3.0,
    );
    is_near(
        "identical",
        counts["distinct.identical_documents"],
        (5.3e6 + 2.1e6) / 300.0,
        15.0,
    );
    assert!(counts["pairs.common_postings"] > 0 && counts["distinct.lexical_documents"] > 0);
    // Without a floor every pair is counted, and the clusters are the same.
    let path = spec.dir.join("pipeline.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "[pairs]\nfloor = 0\n").unwrap();
    let all = counts_of_a_run(&spec);
    is_near("pairs", all["pairs.pairs"], expected.pairs, 20.0);
    assert!(
        with_floor < all["pairs.pairs"] / 5,
        "{with_floor} of {}",
        all["pairs.pairs"]
    );
    for count in [
        "cluster.links",
        "cluster.clusters",
        "cluster.clustered_documents",
    ] {
        assert_eq!(counts[count], all[count], "{count}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let model = Model::of_sketches(5, 3000);
    let bytes = |name: &str, threads: usize| {
        let spec = Spec {
            dir: dir.path().join(name),
            ..spec(dir.path(), MODULUS_25)
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| spec.write(&model)).unwrap();
        ["marks", "sizes", "sketches"]
            .map(|kind| {
                std::fs::read(spec.dir.join(format!("work/sketch/segment-0-00000.{kind}"))).unwrap()
            })
            .map(|bytes| (bytes.len(), twox_hash::XxHash3_64::oneshot(&bytes)))
    };
    assert_eq!(bytes("one", 1), bytes("two", 2));
}

#[test]
fn adaptive_sketches_keep_what_the_sampling_keeps() {
    let model = Model::of_sketches(5, 2000);
    let sampling = Sampling::Adaptive {
        target: 128,
        coarsest_log2: 5,
    };
    let (mut sketch, mut kept) = (Vec::new(), 0);
    for number in 0..2000 {
        let Sketched { words, level, .. } = model.sketch(number, sampling, &mut sketch);
        assert!(
            sketch
                .iter()
                .all(|shingle| shingle.is_multiple_of(1 << level))
        );
        assert!(sketch.len() <= 128 || level == 5);
        assert!(level == 0 || words > 128);
        kept += sketch.len();
    }
    assert!((60..130).contains(&(kept / 2000)), "{}", kept / 2000);
}
