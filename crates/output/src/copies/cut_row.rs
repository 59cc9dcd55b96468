//! The table of what was cut from copies.

use crate::declaration::table;

table! {
    /// `cuts.parquet` beside the copies.
    CUTS: "cuts", "every part that was cut from a document, and every document that went", sorted by ["doc_id", "begin_word"];
    /// A row of [`CUTS`].
    CutRow<'a> {
        doc_id: i64, Ascending, "the document, as in the tables of the run";
        id: Option<&'a str>, Names, "its id";
        url: Option<&'a str>, Names, "its URL";
        source: &'a str, Repeated, "the file it was read from";
        begin_word: i64, "the first word that went, counted from 0";
        end_word: i64, "the word after the last one that went";
        begin_character: Option<i64>,
            "the first character that went of the text of the input, counted from 0; null if the document went";
        end_character: Option<i64>, "the character after the last one that went";
        is_whole: bool, "whether the document went";
        reason: &'static str, Repeated,
            "passage: the words stay at another place; equal: another document with the same words stays; rest: fewer words than --rest would have stayed";
    }
}
