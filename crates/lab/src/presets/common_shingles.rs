//! Broder, Glassman, Manasse and Zweig, *Syntactic Clustering of the Web* (1997), "Common
//! shingles": what is alike where shingles of many documents do not count.
//!
//! *Input.* Pages made here: one article in the frames of many sites, and many articles in the
//! frame of one site. *Output.* The share of pairs that reach 0.5, by all shingles, without the
//! common ones, and without frames. *Algorithm.* The sets themselves, not sketches.

use crate::evaluation::{Claim, claims};
use crate::exact::{common, pairs};
use crate::set::{ratio, set_of, shingles};
use crate::table::{Table, row};
use crate::words;
use model::Ratio;

const SEED: u64 = 241;

/// Words in a shingle, as in the paper.
const SHINGLE: usize = 10;

/// Documents from which on a shingle is common: 1000 of 30 million in the paper.
const LIMIT: usize = 100;

/// Pages of a group, below the limit and above.
const GROUPS: [usize; 2] = [60, 240];

/// Words of a frame and of an article.
struct Lengths {
    frame: usize,
    article: usize,
}

/// A page of an agency's article, and one of a site with a heavy frame.
const SYNDICATED: Lengths = Lengths {
    frame: 80,
    article: 300,
};
const FRAMED: Lengths = Lengths {
    frame: 400,
    article: 150,
};

/// Pages that share their article or their frame.
struct PageGroup {
    name: &'static str,
    /// The sets of the pages, and of their articles alone.
    pages: Vec<Vec<u64>>,
    articles: Vec<Vec<u64>>,
}

impl PageGroup {
    /// So many pages; `numbers` gives the next one's frame and article.
    fn new(
        name: &'static str,
        lengths: &Lengths,
        count: usize,
        mut numbers: impl FnMut() -> [u64; 2],
    ) -> PageGroup {
        let set = |words: &[String]| set_of(shingles(words, SHINGLE));
        let (mut pages, mut articles) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let [frame, article] = numbers();
            let frame = words::text(SEED ^ (frame << 20), lengths.frame);
            let article = words::text(SEED ^ (article << 40), lengths.article);
            articles.push(set(&article));
            pages.push(set(&[frame, article].concat()));
        }
        PageGroup {
            name,
            pages,
            articles,
        }
    }
}

/// All groups. No two share anything.
fn groups() -> Vec<PageGroup> {
    let mut number = 0;
    let mut next = || {
        number += 1;
        number
    };
    let mut groups = Vec::new();
    for count in GROUPS {
        let (article, name) = (next(), "one article, each in the frame of its site");
        groups.push(PageGroup::new(name, &SYNDICATED, count, || {
            [next(), article]
        }));
        let (frame, name) = (next(), "the articles of one site, all in its frame");
        groups.push(PageGroup::new(name, &FRAMED, count, || [frame, next()]));
    }
    groups
}

/// The share of the pairs of these sets that reach 0.5.
fn share_alike(sets: &[Vec<u64>]) -> f64 {
    let alike = pairs(sets, |pair| pair.resemblance(sets) >= Ratio::new(1, 2));
    ratio(alike.len(), sets.len() * (sets.len() - 1) / 2)
}

/// The shares by the three rules, and what the paper says of them.
pub(super) fn measure() -> (Table, Vec<Claim>) {
    let groups = groups();
    let common = common(groups.iter().flat_map(|group| &group.pages), LIMIT);
    let title = format!("Pairs alike at 0.5; common: in more than {LIMIT} documents");
    let mut table = Table::new(title, []);
    let mut shares = Vec::new();
    for PageGroup {
        name,
        pages,
        articles,
    } in &groups
    {
        let mut rare = pages.clone();
        for page in &mut rare {
            page.retain(|shingle| !common.contains(shingle));
        }
        let share = [pages, &rare, articles].map(|sets| share_alike(sets));
        table.push(row! {
            "pages": *name,
            "documents": pages.len(),
            "by all shingles": share[0],
            "without common ones": share[1],
            "without frames": share[2],
        });
        shares.push(share);
    }
    let [article, frame] = [shares[2], shares[3]];
    let source = "Broder et al. 1997, Common shingles";
    let claims = claims! {
        source, "common shingles create a false resemblance: pages of one frame":
            frame[0] > 0.99 && frame[1] < 0.01,
            "{:.2} of the pairs are alike with common shingles, {:.2} without", frame[0], frame[1];
        source, "or have no effect on the resemblance: an article on many sites":
            (article[0] - article[1]).abs() < 0.01,
            "{:.2} of the pairs are alike with common shingles, {:.2} without",
            article[0], article[1];
    };
    (table, claims)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_common_is_a_frame_or_an_article() {
        let (table, claims) = measure();
        let shares = |column: &str| {
            table
                .numbers(column)
                .map(Option::unwrap)
                .collect::<Vec<_>>()
        };
        assert_eq!(shares("by all shingles"), [1.0; 4]);
        assert_eq!(shares("without common ones"), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(shares("without frames"), [1.0, 0.0, 1.0, 0.0]);
        assert_eq!(
            claims.iter().map(|claim| claim.met).collect::<Vec<_>>(),
            [true, false]
        );
    }
}
