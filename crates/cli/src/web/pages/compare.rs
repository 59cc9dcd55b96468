//! Two documents side by side: the words that differ.

use super::passages::{legend, with_marks};
use crate::web::judgements::JudgementFile;
use crate::web::page::{Medium, beginning, document, short};
use crate::web::safety::clean;
use crate::web::site::Site;
use maud::{Markup, html};
use output::{counted, shell_word, thousands};
use pipeline::query::by_id;
use pipeline::{
    Basis, CompareRequest, DifferentWords, Error, ExplainRequest, ExplainView, ExplainedDocument,
    Explanation, Figure, Judgement, LinkChain, TextDifference, config_options, explain,
};

/// Differences that are shown.
const DIFFERENCES: usize = 300;

/// Compares two documents of the publication.
pub(crate) fn compared(site: &Site, a: i64, b: i64, limit: usize) -> Result<Explanation, Error> {
    // Numbers name documents of the publication alone, never a file or a record.
    for id in [a, b] {
        by_id(&site.index(), id, 0)?;
    }
    explain(&ExplainRequest {
        pair: CompareRequest {
            a: a.to_string().into(),
            b: b.to_string().into(),
            basis: Basis::Run(site.config.clone(), Some(site.index())),
        },
        limit,
        view: ExplainView::Differences,
    })
}

/// The fields that the form of a comparison sends.
#[derive(Clone, Debug, serde::Deserialize)]
pub(crate) struct JudgeRequest {
    pub(crate) a: i64,
    pub(crate) b: i64,
    pub(crate) duplicate: bool,
    pub(crate) token: String,
}

/// The judgement that a form asks to keep.
pub(crate) fn judgement(site: &Site, request: &JudgeRequest) -> Result<Judgement, Error> {
    let explanation = compared(site, request.a, request.b, 0)?;
    let figures = &explanation.figures.exact;
    Ok(Judgement {
        a: request.a,
        b: request.b,
        duplicate: request.duplicate,
        resemblance: figures.resemblance.value,
        url_a: explanation.a.url,
        url_b: explanation.b.url,
        judged: None,
    })
}

/// The page without its frame.
pub(crate) fn compare(
    site: &Site,
    judgements: &JudgementFile,
    a: i64,
    b: i64,
) -> Result<Markup, Error> {
    let explanation = compared(site, a, b, DIFFERENCES)?;
    Ok(html! {
        p { strong { (headline(&explanation)) } }
        dl.facts {
            dt { "A" } dd { (side(a, &explanation.a)) }
            dt { "B" } dd { (side(b, &explanation.b)) }
            @for (name, figure) in explanation.figures.exact.rows() {
                @if let Some(Figure { value, .. }) = figure { dt { (name) } dd { (format!("{value:.4}")) } }
            }
            @if let Some(why) = &explanation.why {
                dt { "Result" }
                dd {
                    @if why.together { "in one cluster" @if let Some(class) = why.class { ", equal by class: " (class) } }
                    @else { "in different clusters: " (clean(&why.missing.join("; "))) }
                    @if let Some(chain) = &why.chain { (linked(chain, why.is_linked)) "; " (why.fates([Some(a), Some(b)])) }
                }
            }
        }
        @if a != b { (judge_form(judgements, a, b)) }
        (neighbours(site, a, b))
        @if !explanation.difference.differences.is_empty() {
            p.soft { "Keys: n for the next difference, p for the one before. " del { "Words of A alone" } " and " ins { "words of B alone" } " are marked." }
            @if [&explanation.a, &explanation.b].iter().any(|side| side.repeated_words > Some(0)) { (legend()) }
        }
        (differences(&explanation.difference))
        (frames(&explanation))
    })
}

/// The two documents by name; two versions of a page by number, too.
pub(crate) fn title(site: &Site, a: i64, b: i64) -> String {
    let (name, other) = (short(&site.name_of(a)), short(&site.name_of(b)));
    if name == other {
        format!("{name}, documents {a} and {b}")
    } else {
        format!("{name} and {other}")
    }
}

/// How links join the two. Stronger links than their own may join them, too.
fn linked(chain: &LinkChain, is_linked: bool) -> &'static str {
    match chain.links.as_slice() {
        [] => "",
        [link] if link.contained.is_some() => ", linked by containment",
        _ if is_linked => ", linked",
        _ => ", linked through others",
    }
}

/// The figure of the two documents and what differs, in one line.
pub(crate) fn headline(explanation: &Explanation) -> String {
    let line = explanation.headline();
    let mut chars = line.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}

/// The pairs before and after one of those nearest to the threshold.
fn neighbours(site: &Site, a: i64, b: i64) -> Markup {
    let figures = site.report.thresholds.iter();
    let pairs = figures.flat_map(|figures| figures.above.iter().rev().chain(&figures.below));
    let pairs: Vec<_> = pairs.map(|pair| (pair.a, pair.b)).collect();
    let Some(at) = pairs.iter().position(|pair| *pair == (a.min(b), a.max(b))) else {
        return html! {};
    };
    let link = |text: &str, key: &str, pair: Option<&(i64, i64)>| {
        html! {
            @if let Some((a, b)) = pair {
                a href={ "/compare/" (a) "/" (b) } data-key=(key) { (text) }
            }
        }
    };
    html! {
        nav.pager aria-label="Pairs near the threshold" {
            (link("← Pair before (k)", "k", at.checked_sub(1).and_then(|at| pairs.get(at))))
            span { "Pair " (at + 1) " of " (pairs.len()) " near the threshold" }
            (link("Next pair (j) →", "j", pairs.get(at + 1)))
        }
    }
}

fn judge_form(judgements: &JudgementFile, a: i64, b: i64) -> Markup {
    let judged = judgements.of(a, b);
    html! {
        form.judge method="post" action="/judge" {
            input type="hidden" name="a" value=(a);
            input type="hidden" name="b" value=(b);
            input type="hidden" name="token" value=(judgements.token());
            span { "Are they duplicates?" }
            @for (value, key, text) in [(true, "d", "Duplicates"), (false, "x", "Not duplicates")] {
                button name="duplicate" value=(value) data-key=(key) aria-pressed=(judged == Some(value)) { (text) }
            }
            span.soft {
                @match judged {
                    Some(true) => "You said that they are duplicates. ",
                    Some(false) => "You said that they are not duplicates. ",
                    None => {}
                }
                "Keys: d and x. The answer goes to " code { (clean(&judgements.name())) } "; "
                code { "pipeline tune --judged " (clean(&shell_word(&judgements.name()))) (clean(config_options())) } " shows what thresholds make of it."
            }
        }
    }
}

fn side(doc_id: i64, side: &ExplainedDocument) -> Markup {
    html! {
        (document(Medium::Server, doc_id, side.shown_name()))
        span.soft { ", " (counted(side.words as u64, "word"))
            @if let Some(words) = side.repeated_words { ", " (thousands(words)) " of them in passages of the corpus" }
            @if side.changed { "; changed since the run, its present text is shown" } }
    }
}

/// The parts of the pages that do not count, in grey.
fn frames(explanation: &Explanation) -> Markup {
    html! {
        @for (letter, side) in [("A", &explanation.a), ("B", &explanation.b)] {
            @let frame = clean(side.frame.trim());
            @if !frame.is_empty() {
                h2 { "Frame of " (letter) ", not compared" }
                p.soft { (beginning(&frame).unwrap_or(&frame)) @if beginning(&frame).is_some() { " …" } }
            }
        }
    }
}

/// The differences, and how many equal words lie between them.
pub(crate) fn differences(difference: &TextDifference) -> Markup {
    let left = difference.differences_in_all - difference.differences.len();
    html! {
        @for one in &difference.differences {
            (fold(one.folded_words_before))
            div.difference {
                p.kind { (one.kind.name()) }
                p { (with_marks(&one.before, &one.repeated_before)) " " @if one.a.words > 0 { del { (shown(&one.a)) } } " " (with_marks(&one.after, &one.repeated_after)) }
                p { (clean(&one.before)) " " @if one.b.words > 0 { ins { (shown(&one.b)) } } " " (clean(&one.after)) }
            }
        }
        (fold(difference.folded_words_behind))
        @if left > 0 { p { "There are " (thousands(left as u64)) " more." } }
    }
}

fn fold(words: usize) -> Markup {
    html! {
        @if words > 0 { p.fold { "… " (counted(words as u64, "equal word")) " …" } }
    }
}

fn shown(words: &DifferentWords) -> Markup {
    let start = beginning(&words.text);
    html! {
        (with_marks(start.unwrap_or(&words.text), &words.repeated))
        @if start.is_some() { " … (" (thousands(words.words as u64)) " words)" }
    }
}
