//! The table of the items of references that stand in documents, and the note on a document.

use crate::declaration::table;

table! {
    /// `contamination.parquet` of `pipeline decontaminate`.
    CONTAMINATION:
        "contamination",
        "every stretch of a document in which an item of the references stands, in the order of doc_id",
        sorted by [];
    /// A row of [`CONTAMINATION`].
    ContaminationRow<'a> {
        doc_id: i64, Ascending,
            "the document: snapshot number * 2^32 + position in the snapshot, as in the tables of a run";
        id: Option<&'a str>, Names, "its id, as in documents";
        url: Option<&'a str>, Names, "its URL";
        source: &'a str, Repeated, "the file it was read from";
        reference: &'a str, Repeated, "the file of references";
        item: &'a str, SharedNames, "the id of the item, or the number of its row, the first is 0";
        field: &'a str, Repeated, "the field of the item that was found, or all: all of them together";
        words: i32, "words of the field";
        share: f64, "the share of them that stands in the stretch";
        begin_word: i64, "the first word of the stretch, counted from 0";
        end_word: i64, "the word after its last";
        begin_character: Option<i64>,
            "the first character of its first word in the text field, counted from 0; null where the text has markup";
        end_character: Option<i64>, "the character after its last word";
        text: &'a str, "the stretch; 4000 characters at most";
        item_text: &'a str, SharedNames, "the field of the item; 4000 characters at most";
    }
}

table! {
    /// The columns that `pipeline decontaminate --annotate` adds to the user's own rows; all are
    /// null for a row that is no document.
    CONTAMINATION_NOTE: "annotation", "every row of an annotated file", sorted by [];
    /// What stands in a document.
    ContaminationNote<'a> {
        contaminated: Option<bool>, "whether an item of the references stands in the document";
        contamination_share: Option<f64>, "the largest share of an item; null if there is none";
        contamination_reference: Option<&'a str>, Repeated, "the file of that item";
        contamination_item: Option<&'a str>, SharedNames, "its id, or the number of its row";
    }
}
