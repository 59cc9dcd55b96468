//! The division of a snapshot into segments before they are read.

use crate::segment::KnownPiece;
use engine::{
    Engine, PhaseName,
    runtime::parameters::{fingerprint, hex},
};
use format::segment_name;
use input::SourceFile;

pub(super) const PHASE: PhaseName = PhaseName::Sketch;

/// A segment to be read: the unit of work of a thread.
pub(super) struct PlannedSegment {
    /// Index of its snapshot among those of the run.
    pub(super) snapshot: usize,
    /// Number of its snapshot.
    pub(super) number: u32,
    /// The first file of the snapshot in the listing.
    pub(super) first_file: u32,
    /// Its name, without extension, in the work directory.
    pub(super) name: String,
    /// The pieces of files to read, in order.
    pub(super) pieces: Vec<KnownPiece>,
}

impl PlannedSegment {
    /// The segments of a snapshot. One without a file to read has a segment without pieces, so that
    /// its rejected files are counted and listed.
    pub(super) fn all_of(engine: &Engine<'_>, snapshot: usize) -> Vec<PlannedSegment> {
        let live = &engine.inputs.snapshots[snapshot];
        let (number, first_file) = (live.number, live.files.start as u32);
        let files = live.files(&engine.inputs.listing);
        let bytes = files.iter().map(|file| file.stat.bytes).sum();
        let known = |piece: input::Piece| {
            let from = (piece.start == 0).then_some(0);
            KnownPiece {
                piece: input::Piece {
                    file: first_file + piece.file,
                    ..piece
                },
                from,
            }
        };
        let mut plan = input::plan(files, input::Sizes::of(bytes));
        if plan.is_empty() {
            plan.push(Vec::new());
        }
        let plan = plan.into_iter().enumerate();
        plan.map(|(index, pieces)| PlannedSegment {
            snapshot,
            number,
            first_file,
            name: segment_name(number, index as u32),
            pieces: pieces.into_iter().map(known).collect(),
        })
        .collect()
    }

    /// Its pieces in words, the same on every machine. Where their first records begin is no part
    /// of it.
    pub(super) fn content(&self, files: &[SourceFile]) -> String {
        self.described(files, |_| String::new())
    }

    /// A digest that changes when a file may have changed on this machine.
    pub(super) fn identity(&self, files: &[SourceFile]) -> String {
        let text = self.described(files, |file| {
            let (modified, changed) = (file.stat.modified_ns, file.stat.changed_ns);
            format!("{modified} {changed} {} ", file.stat.inode)
        });
        hex(fingerprint(&text))
    }

    fn described(&self, files: &[SourceFile], more: impl Fn(&SourceFile) -> String) -> String {
        let mut text = String::new();
        for KnownPiece { piece, .. } in &self.pieces {
            let file = &files[piece.file as usize];
            text += &format!(
                "{} {} {:?}{} {}{}..{}\n",
                piece.file - self.first_file,
                file.name,
                file.format,
                file.whose_keys(),
                more(file),
                piece.start,
                piece.end
            );
        }
        text
    }

    /// The first of the files that it reads.
    pub(super) fn first_file_read(&self) -> Option<u32> {
        self.pieces.first().map(|known| known.piece.file)
    }

    /// The last of the files that it reads.
    pub(super) fn last_file(&self) -> Option<u32> {
        self.pieces.last().map(|known| known.piece.file)
    }

    /// Bytes to be read.
    pub(super) fn bytes(&self) -> u64 {
        self.pieces
            .iter()
            .map(|known| known.piece.end - known.piece.start)
            .sum()
    }
}
