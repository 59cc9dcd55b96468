//! JSONL: line by line, byte for byte.

use std::io::Read as _;

use proptest::prelude::*;

use super::{TempCopy, check, copy, gzip, listed, read, zstd};
use crate::CopyWriter;
use input::{Annotations, Place, SinkError};

/// Lines, some of them no documents.
fn line(number: usize, kind: u8) -> String {
    match kind {
        0 => "\n".to_owned(),
        1 => "no JSON at all\n".to_owned(),
        2 => format!(
            "{{\"id\": \"{number}\", \"text\": \"{}\"}}\r\n",
            "long ".repeat(30_000)
        ),
        _ => format!("{{ \"text\":\"page {number}\",  \"other\": [{number}.0, null]}}\n"),
    }
}

fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(bytes)
            .read_to_end(&mut content)
            .unwrap();
    } else if bytes.starts_with(&[0x28, 0xb5]) {
        zstd::stream::read::Decoder::new(bytes)
            .unwrap()
            .read_to_end(&mut content)
            .unwrap();
    } else {
        content.extend_from_slice(bytes);
    }
    content
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// The lines that stay are there byte for byte, whatever the compression, and wherever members
    /// end.
    #[test]
    fn lines_stay_as_they_are(
        kinds in prop::collection::vec(0u8..12, 1..40), mask: u64, packing in 0usize..4,
        cuts in prop::collection::vec(0.0f64..1.0, 0..4), (mark, ended) in (any::<bool>(), any::<bool>()),
    ) {
        let lines: Vec<String> = kinds.iter().enumerate().map(|(at, kind)| line(at, (*kind).min(3))).collect();
        let mut content = lines.concat();
        if !ended {
            content.pop();
        }
        if mark {
            content.insert(0, '\u{feff}');
        }
        let content = content.into_bytes();
        let mut borders: Vec<usize> = cuts.iter().map(|cut| (cut * content.len() as f64) as usize).collect();
        borders.extend([0, content.len()]);
        borders.sort_unstable();
        let pieces = borders.windows(2).map(|border| &content[border[0]..border[1]]);
        let bytes = match packing {
            0 => content.clone(),
            1 => gzip(&content),
            2 => pieces.flat_map(gzip).collect(),
            _ => pieces.flat_map(|piece| zstd(piece, b"")).collect(),
        };
        let place = TempCopy::with("x.jsonl", &bytes);
        if !kinds.iter().any(|kind| *kind >= 2) || !content.trim_ascii_start().starts_with(b"{") {
            return Ok(());
        }
        let (copied, _) = check(&place, |at| mask >> (at % 64) & 1 == 1);
        // The expected bytes, from the lines themselves.
        let mut document = 0;
        let mut expected = Vec::new();
        for whole in content.split_inclusive(|byte| *byte == b'\n') {
            let text = whole.strip_prefix(b"\xef\xbb\xbf").unwrap_or(whole);
            let goes = text.starts_with(b"{") && { document += 1; mask >> ((document - 1) % 64) & 1 == 1 };
            if !goes {
                expected.extend_from_slice(whole);
            }
        }
        prop_assert_eq!(decoded(&copied), expected);
    }
}

/// A text for each of some documents.
struct Members(Vec<(Place, String)>);

impl Annotations for Members {
    fn next(&mut self, members: &mut String) -> Result<Option<Place>, SinkError> {
        let next = (!self.0.is_empty()).then(|| self.0.remove(0));
        Ok(next.map(|(place, text)| {
            *members += &text;
            place
        }))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Without the members that were added, an annotated file has the bytes of the input.
    #[test]
    fn members_stand_behind_the_brace_of_their_line(
        kinds in prop::collection::vec(0u8..12, 1..40), mask: u64, packing in 0usize..4,
        cuts in prop::collection::vec(0.0f64..1.0, 0..4),
    ) {
        let lines: Vec<String> = kinds.iter().enumerate().map(|(at, kind)| line(at, (*kind).min(3))).collect();
        let content = lines.concat().into_bytes();
        prop_assume!(content.trim_ascii_start().starts_with(b"{"));
        let mut borders: Vec<usize> = cuts.iter().map(|cut| (cut * content.len() as f64) as usize).collect();
        borders.extend([0, content.len()]);
        borders.sort_unstable();
        let pieces = borders.windows(2).map(|border| &content[border[0]..border[1]]);
        let bytes = match packing {
            0 => content.clone(),
            1 => gzip(&content),
            2 => pieces.flat_map(gzip).collect(),
            _ => pieces.flat_map(|piece| zstd(piece, b"")).collect(),
        };
        let place = TempCopy::with("x.jsonl", &bytes);
        let file = listed(&place.path);
        let documents = read(&place.path).0.into_iter().enumerate();
        let wanted = documents.filter(|(at, _)| mask >> (at % 64) & 1 == 1);
        let members = wanted.map(|(at, read)| (read.removal.place, format!("\"added\":{at},")));
        let mut writer = CopyWriter::new(input::packaging(&file).unwrap(), Vec::new());
        let lost = input::annotate_lines(&file, &mut Members(members.collect()), &mut writer).unwrap();
        let annotated = String::from_utf8(decoded(&writer.finish().unwrap())).unwrap();
        let (mut expected, mut document) = (String::new(), 0);
        for line in &lines {
            let is_wanted = line.starts_with('{') && { document += 1; mask >> ((document - 1) % 64) & 1 == 1 };
            let added = if is_wanted { format!("{{\"added\":{},", document - 1) } else { String::new() };
            expected += &if is_wanted { line.replacen('{', &added, 1) } else { line.clone() };
        }
        prop_assert_eq!((annotated, lost.lost_bytes), (expected, 0));
    }
}

#[test]
fn members_of_which_no_line_goes_are_copied_as_they_lie() {
    let members: Vec<Vec<u8>> = (0..5)
        .map(|member| {
            gzip(format!("{}{}", line(2 * member, 3), line(2 * member + 1, 3)).as_bytes())
        })
        .collect();
    let place = TempCopy::with("x.jsonl.gz", &members.concat());
    let (bytes, _) = check(&place, |at| at == 5);
    assert!(bytes.starts_with(&members[..2].concat()) && bytes.ends_with(&members[3..].concat()));
    // The member of which a line goes is still one of its own.
    let middle = &bytes[members[..2].concat().len()..bytes.len() - members[3..].concat().len()];
    assert_eq!(decoded(middle), line(4, 3).into_bytes());
}

#[test]
fn a_copy_of_nothing_is_an_empty_file_of_its_compression() {
    let text = line(1, 3);
    for (bytes, empty) in [
        (text.clone().into_bytes(), false),
        (gzip(text.as_bytes()), true),
        (zstd(text.as_bytes(), b""), true),
    ] {
        let place = TempCopy::with("x.jsonl", &bytes);
        let (copied, _) = check(&place, |_| true);
        assert_eq!(decoded(&copied), b"");
        assert_eq!(!copied.is_empty(), empty);
    }
}

#[test]
fn damage_beside_a_line_that_goes_is_counted_and_other_damage_stays() {
    let lines =
        |from: usize| -> String { (from..from + 400).map(|at| line(at * 7919, 3)).collect() };
    let mut members: Vec<Vec<u8>> = (0..3)
        .map(|member| gzip(lines(1000 * member).as_bytes()))
        .collect();
    let at = members[1].len() / 2;
    members[1][at..at + 40].fill(0xa5);
    let place = TempCopy::with("x.jsonl.gz", &members.concat());
    let (documents, rejected) = read(&place.path);
    assert!(
        rejected.contains(&"bad-gzip") && documents.len() > 800,
        "{rejected:?} {}",
        documents.len()
    );
    let damaged: Vec<usize> = (0..documents.len())
        .filter(|at| documents[*at].removal.place.entry_offset == members[0].len() as u64)
        .collect();
    assert!(!damaged.is_empty());
    let (bytes, copied) = check(&place, |at| at == 3);
    assert_eq!(copied.lost_bytes, 0);
    assert!(
        bytes
            .windows(members[1].len())
            .any(|window| window == &members[1][..]),
        "the damaged member stays"
    );
    let (_, copied) = check(&place, |at| at == damaged[0]);
    assert!(copied.lost_bytes > 0);
}

#[test]
fn a_place_where_no_line_begins_is_told() {
    let place = TempCopy::with("x.jsonl", (line(1, 3) + &line(2, 3)).as_bytes());
    let (documents, _) = read(&place.path);
    let mut wrong = documents[1].removal;
    wrong.place.length -= 9;
    assert!(copy(&place.path, vec![wrong]).is_err());
    let place = TempCopy::with("x.jsonl.gz", &gzip((line(1, 3) + &line(2, 3)).as_bytes()));
    let mut wrong = read(&place.path).0[1].removal;
    wrong.place.inner_offset += 1_000_000;
    assert!(copy(&place.path, vec![wrong]).is_err());
}
