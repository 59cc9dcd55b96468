//! A tree of documents, as single linkage joins them (SVG).
//!
//! *Input.* The links of one cluster: all, or those of a maximum spanning forest and others.
//! *Algorithm.* Links from the strongest to the weakest; one that joins two branches is a join
//! (Kruskal, 1956). Each step names the branch of every document, so it is quadratic: for clusters
//! of a few dozen documents.

use maud::{Markup, html};

/// A link: its resemblance, and the two documents.
pub(crate) type Link = (f64, [i64; 2]);

/// A branch that is drawn: its documents in the order of their rows, where its stem is.
#[derive(Clone, Debug)]
struct DrawnBranch {
    documents: Vec<i64>,
    join: Option<usize>,
}

/// A join of two branches.
#[derive(Debug)]
struct BranchJoin {
    resemblance: f64,
    branches: [DrawnBranch; 2],
}

/// The joins from the strongest on, and the trees that are left.
fn joins(links: &[Link]) -> (Vec<BranchJoin>, Vec<DrawnBranch>) {
    let mut links = links.to_vec();
    links.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut documents: Vec<i64> = links.iter().flat_map(|link| link.1).collect();
    documents.sort_unstable();
    documents.dedup();
    let alone = |document| DrawnBranch {
        documents: vec![document],
        join: None,
    };
    let mut branches: Vec<DrawnBranch> = documents.into_iter().map(alone).collect();
    let mut joins = Vec::new();
    for (resemblance, ends) in links {
        let places = ends.map(|end| {
            let has = |branch: &DrawnBranch| branch.documents.contains(&end);
            branches.iter().position(has).unwrap_or(0)
        });
        let (first, second) = (places[0].min(places[1]), places[0].max(places[1]));
        if first != second {
            let other = branches.remove(second);
            let one = &mut branches[first];
            let joined = DrawnBranch {
                documents: [&one.documents[..], &other.documents].concat(),
                join: Some(joins.len()),
            };
            let one = std::mem::replace(one, joined);
            joins.push(BranchJoin {
                resemblance,
                branches: [one, other],
            });
        }
    }
    (joins, branches)
}

/// Height of a row, width of the drawing, of the names, and of the resemblances from 1 to 0.
const ROW: f64 = 18.0;
const WIDTH: f64 = 600.0;
const NAMES: f64 = 90.0;
const AXIS: f64 = WIDTH - NAMES - 20.0;

/// The drawing: documents on the left, the resemblance falls to the right.
pub(crate) fn dendrogram(links: &[Link]) -> Markup {
    let (joins, trees) = joins(links);
    let order: Vec<i64> = trees.into_iter().flat_map(|tree| tree.documents).collect();
    let across = |resemblance: f64| NAMES + AXIS * (1.0 - resemblance);
    let row = |document: i64| {
        let at = order.iter().position(|one| *one == document);
        ROW * (at.unwrap_or(0) as f64 + 0.5)
    };
    // The height of the stem of each join, half way between those of its branches.
    let mut stems: Vec<f64> = Vec::new();
    let mut paths: Vec<(String, String)> = Vec::new();
    for join in &joins {
        let ends = join.branches.each_ref().map(|branch| match branch.join {
            None => (NAMES, row(branch.documents[0])),
            Some(at) => (across(joins[at].resemblance), stems[at]),
        });
        let [(x1, y1), (x2, y2)] = ends;
        let x = across(join.resemblance);
        stems.push((y1 + y2) / 2.0);
        paths.push((
            format!("M{x1:.1} {y1:.1}H{x:.1}V{y2:.1}H{x2:.1}"),
            format!("{:.4}", join.resemblance),
        ));
    }
    let height = ROW * order.len() as f64;
    html! {
        svg.tree viewBox={ "0 0 " (WIDTH) " " (height + 24.0) } role="img" aria-label={ "Tree of " (order.len()) " documents" } {
            @for tenth in [10, 8, 6, 4, 2, 0] {
                @let x = across(f64::from(tenth) / 10.0);
                line x1=(x) y1="0" x2=(x) y2=(height) {}
                text x=(x) y=(height + 16.0) text-anchor="middle" { (format!("{:.1}", f64::from(tenth) / 10.0)) }
            }
            @for document in &order {
                text x=(NAMES - 6.0) y=(row(*document) + 4.0) text-anchor="end" { (document) }
            }
            @for (path, resemblance) in &paths { path d=(path) { title { (resemblance) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_are_those_of_single_linkage() {
        let links = [
            (0.6, [3, 9]),
            (0.9, [1, 3]),
            (0.8, [7, 9]),
            (0.7, [1, 9]),
            (0.5, [20, 21]),
        ];
        let (joins, trees) = joins(&links);
        let found: Vec<f64> = joins.iter().map(|join| join.resemblance).collect();
        assert_eq!(found, [0.9, 0.8, 0.7, 0.5]);
        let trees: Vec<Vec<i64>> = trees.into_iter().map(|tree| tree.documents).collect();
        assert_eq!(trees, [vec![1, 3, 7, 9], vec![20, 21]]);
        let [one, other] = joins[2].branches.each_ref().map(|branch| branch.join);
        assert_eq!((one, other), (Some(0), Some(1)));
    }

    #[test]
    fn a_join_is_drawn_at_its_resemblance() {
        let drawn = dendrogram(&[(0.5, [1, 2]), (1.0, [2, 3])]).into_string();
        // 2 and 3 join at once, in the rows 1 and 2; 1 joins them half way, from row 0.
        assert!(drawn.contains("M90.0 27.0H90.0V45.0H90.0"), "{drawn}");
        assert!(drawn.contains("M90.0 9.0H335.0V36.0H90.0"), "{drawn}");
        assert_eq!(drawn.matches("<path").count(), 2);
    }
}
