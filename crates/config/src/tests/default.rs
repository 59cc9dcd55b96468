//! The annotated default configuration says what the documentation says, and shows every key.

use std::path::Path;

use input::FormatChoice;
use model::{DensityLimits, Keep, Linkage, PublishedLinks};
use model::{Sampling, Threshold};
use sketch::{FingerprintBits, FingerprintKeys, ShingleKind, TokenUnit};

use super::super::keys::FILE;
use super::super::kind::LineRole;
use super::super::{Config, DEFAULT_SEED, DEFAULT_TOML, parse};
use super::accepted;

fn default() -> Config {
    parse(DEFAULT_TOML, Path::new("pipeline.toml")).expect("the default configuration is right")
}

#[test]
fn the_documented_defaults() {
    let config = default();
    assert_eq!(
        (config.file.as_path(), config.base.as_path()),
        (Path::new("pipeline.toml"), Path::new("."))
    );
    assert_eq!(config.input.paths, ["data-samples/web/*.warc.gz"]);
    assert_eq!(config.input.format, FormatChoice::Auto);
    let fields = &config.input.fields;
    assert_eq!(
        [
            &fields.id,
            &fields.text,
            &fields.html,
            &fields.url,
            &fields.date
        ],
        ["id", "text", "html", "url", "date"]
    );
    assert!(fields.carry.is_empty());
    assert_eq!(
        (config.input.max_document_bytes, config.input.max_rejected),
        (16 << 20, 1.0)
    );
    assert_eq!(
        (config.work.dir.as_path(), config.work.output.as_path()),
        (Path::new("work"), Path::new("out"))
    );
    assert_eq!(
        (config.work.memory_bytes, config.work.disk_bytes),
        (1 << 30, None)
    );
    let sketch = &config.sketch;
    assert_eq!(
        (sketch.tokens, sketch.shingle_size, sketch.shingles),
        (TokenUnit::Words, 10, ShingleKind::Set)
    );
    assert!(!sketch.drop_numbers && sketch.seed_is_default);
    assert_eq!(
        sketch.sampling,
        Sampling::Adaptive {
            target: 128,
            coarsest_log2: 5
        }
    );
    assert_eq!(
        (sketch.bits, sketch.shingle_class_min),
        (FingerprintBits::B64, 16)
    );
    assert_eq!(sketch.keys, FingerprintKeys::from_seed("change me"));
    assert_eq!(config.pairs.common_shingle_limit, 1000);
    assert_eq!(config.pairs.floor.to_f64(), 0.25);
    let cluster = &config.cluster;
    assert_eq!(Ok(cluster.resemblance), Threshold::from_f64(0.5));
    assert_eq!(
        (
            cluster.containment,
            cluster.containment_joins,
            cluster.min_shared
        ),
        (None, false, 2)
    );
    assert_eq!(
        (cluster.linkage, cluster.links, &cluster.keep),
        (
            Linkage::Star,
            PublishedLinks::Strongest(DensityLimits::DEFAULT),
            &Keep::First
        )
    );
}

#[test]
fn a_key_left_out_means_what_the_default_file_says() {
    let (shown, left_out) = (default(), accepted(""));
    assert_eq!(shown.input_parameters(), left_out.input_parameters());
    assert_eq!(shown.sketch_parameters(), left_out.sketch_parameters());
    assert_eq!(shown.sketch, left_out.sketch);
    assert_eq!(
        (shown.pairs, shown.cluster),
        (left_out.pairs, left_out.cluster)
    );
    assert_eq!(shown.input.max_rejected, left_out.input.max_rejected);
    assert_eq!(shown.work.memory_bytes, left_out.work.memory_bytes);
    assert_eq!(
        (shown.work.disk_bytes, shown.work.threads),
        (left_out.work.disk_bytes, left_out.work.threads)
    );
    assert_eq!(
        (left_out.work.dir, left_out.work.output),
        ("/nowhere/work".into(), "/nowhere/out".into())
    );
}

#[test]
fn every_key_is_shown_under_its_table() {
    let mut table = "";
    let mut shown = Vec::new();
    for line in DEFAULT_TOML.lines() {
        let line = line.strip_prefix("# ").unwrap_or(line);
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.trim_start_matches('[').split(']').next())
        {
            table = name;
            shown.push(name.split_once('.').unwrap_or(("", name)));
        } else if let Some((key, value)) = line.split_once(" = ") {
            shown.push((table, key));
            // an inline table shows its own keys
            for part in value.split(['{', ',']) {
                if let Some((inner, _)) = part.trim().split_once(" = ") {
                    shown.push(("sketch.method", inner));
                }
            }
        }
    }
    for section in FILE.all() {
        let table = section.name;
        for key in section.keys {
            let (name, is_example) = (key.name(), key.role == LineRole::Example);
            // The line of the method shows two kinds; the guide shows the keys of the others.
            if table != "sketch.method" || !is_example {
                assert!(
                    shown.contains(&(table, name)),
                    "[{table}] {name} is not in pipeline.toml"
                );
            }
        }
    }
}

#[test]
fn the_seed_can_be_replaced() {
    assert_eq!(
        DEFAULT_TOML
            .matches(&format!("\nseed = {DEFAULT_SEED:?}"))
            .count(),
        1
    );
}
