//! The semantic parameters: what changes them and what must not.

use super::super::{Config, PassagesConfig};
use super::accepted;

fn all(config: &Config) -> String {
    [
        config.input_parameters(),
        config.sketch_parameters(),
        config.pairs_parameters(),
        config.cluster_parameters(),
    ]
    .concat()
}

#[test]
fn the_parameters_in_full() {
    let config = accepted(
        "input.carry-fields = [\"a\\n\\\"b\\u202e\"]\nsketch.seed = \"s\"\ncluster.containment = 0.90\n\
         cluster.keep = \"hosts:[a.example,b.example]\"",
    );
    let digest: String = config
        .sketch
        .keys
        .digest()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let expected = format!(
        "format = auto\nid-field = \"id\"\ntext-field = \"text\"\nhtml-field = \"html\"\nurl-field = \"url\"\n\
         date-field = \"date\"\ncarry-fields = [\"a\\n\\\"b\u{202e}\"]\nmax-document = 16777216\nmax-expansion = 200\nmax-url = 65536\nmax-field = 1048576\ncontent = main\nmin-words = 16\ntokens = words\n\
         drop-numbers = false\nshingle-size = 10\nshingles = set\nmethod = adaptive-modulus\ntarget = 128\n\
         coarsest = 32\nfingerprint-bits = 64\nseed-digest = {digest}\ncommon-shingle-limit = 1000\nfloor = 0\ncommon = count\n\
         resemblance = 0.5\n\
         containment = 0.9\ncontainment-joins = false\nmin-shared = 2\nsettle = links\nlinkage = star\n\
         links = strongest\nkeep = hosts:[\"a.example\",\"b.example\"]\n\
         contained-documents = after all others\n"
    );
    assert_eq!(all(&config), expected);
}

#[test]
fn each_semantic_key_changes_them() {
    let mut seen = vec![all(&accepted(""))];
    for line in [
        "input.format = \"warc\"",
        "input.charset = \"windows-1251\"",
        "input.charset = \"koi8-r\"",
        "input.id-field = \"x\"",
        "input.text-field = \"x\"",
        "input.html-field = \"x\"",
        "input.url-field = \"x\"",
        "input.date-field = \"x\"",
        "input.carry-fields = [\"x\"]",
        "input.carry-fields = [\"x\", \"y\"]",
        "input.carry-fields = [\"y\", \"x\"]",
        "input.max-document = 1",
        "input.max-page = 1",
        "input.max-url = 1",
        "input.max-field = 1",
        "sketch.tokens = \"chars\"",
        "sketch.content = \"page\"",
        "sketch.drop-numbers = true",
        "sketch.shingle-size = 9",
        "sketch.shingles = \"labelled\"",
        "sketch.method = { kind = \"modulus\", modulus = 25 }",
        "sketch.method = { kind = \"modulus\", modulus = 32 }",
        "sketch.method = { kind = \"adaptive-modulus\", target = 64 }",
        "sketch.method = { kind = \"adaptive-modulus\", coarsest = 64 }",
        "sketch.fingerprint = \"rabin\"",
        "sketch.fingerprint-bits = 40",
        "sketch.method = { kind = \"minhash\", numpy-seed = 1 }",
        "sketch.method = { kind = \"minhash\", numpy-seed = 2 }",
        "sketch.seed = \"other\"",
        "pairs.common-shingle-limit = 999",
        "pairs.floor = 0.1",
        "pairs.floor = 0",
        "sketch.method = { kind = \"modulus\", modulus = 25 }\npairs.common = \"drop\"\ncluster.settle = \"off\"",
        "pairs.common-shingle-limit = \"unlimited\"",
        "cluster.resemblance = 0.51",
        "cluster.containment = 0.5",
        "cluster = { containment = 0.5, containment-joins = true }",
        "cluster.min-shared = 1",
        "cluster.settle = \"off\"",
        "cluster.linkage = \"components\"",
        "cluster.links = \"all\"",
        "cluster.keep = \"newest\"",
        "cluster.keep = \"hosts:[a]\"",
        "input.carry-fields = [\"x\"]\ncluster.keep = \"field:x\"",
        "input.carry-fields = [\"x\"]\ncluster.keep = \"field:x:desc\"",
    ] {
        let parameters = all(&accepted(line));
        assert!(!seen.contains(&parameters), "{line}");
        seen.push(parameters);
    }
}

#[test]
fn what_decides_no_sketch_link_or_cluster_changes_nothing() {
    let plain = all(&accepted(""));
    for line in [
        "work.memory = \"64MiB\"",
        "work.threads = 7",
        "sketch.shingle-class-min = 1",
        "work.dir = \"elsewhere\"",
        "input.max-rejected = 0",
        "input.max-document = 16777216",
        "input.max-page = \"40MiB\"",
        "input.max-url = \"64KiB\"",
        "input.charset = \"auto\"",
        "cluster.resemblance = 0.50",
        "sketch.seed = \"change me\"",
    ] {
        assert_eq!(all(&accepted(line)), plain, "{line}");
    }
}

#[test]
fn the_seed_itself_is_nowhere() {
    let config = accepted("sketch.seed = \"hush-4711\"");
    assert!(!all(&config).contains("hush-4711") && !format!("{config:?}").contains("hush-4711"));
}

#[test]
fn the_passages_are_told_from_their_parameters() {
    for lines in [
        "passages.words = 50",
        "passages.words = 9\npassages.count = \"all\"",
    ] {
        let config = accepted(lines);
        let parameters = config.passages_parameters();
        assert_eq!(PassagesConfig::of_parameters(&parameters), config.passages);
    }
    let none = accepted("sketch.seed = \"s\"");
    assert_eq!(none.passages, None);
    assert_eq!(
        PassagesConfig::of_parameters(&none.passages_parameters()),
        None
    );
}
