//! The rights of the server, held by the kernel.
//!
//! *Input.* The directory of the file of judgements. *Output.* From now on this thread, and those
//! that it starts, read files and answer connections. They write no file that they did not open
//! before, run no program, and connect to nothing. The one exception: a file that has no name yet
//! may get one in that directory, as the file of judgements does at the first judgement.
//! *Algorithm.* Rules of Landlock. *Limits.* A kernel without Landlock (before Linux 5.13, or
//! switched off) enforces nothing; an older one leaves out what it does not know.

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetStatus,
};
use pipeline::Error;
use std::io;
use std::path::Path;

/// The newest rules that the program knows.
const NEWEST: ABI = ABI::V5;

/// Gives up every right that the server does not need; false if the kernel does not enforce all.
pub(crate) fn restrict(judgements: &Path) -> Result<bool, Error> {
    let restricted = rules(judgements).map_err(io::Error::other);
    restricted.map_err(Error::io("give up rights".to_owned()))
}

fn rules(judgements: &Path) -> Result<bool, Box<dyn std::error::Error + Send + Sync>> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/")?, read))?;
    // A directory that is not there gets no file.
    if let Ok(directory) = PathFd::new(judgements) {
        rules = rules.add_rule(PathBeneath::new(directory, AccessFs::MakeReg))?;
    }
    let status = rules.restrict_self()?;
    Ok(status.ruleset == RulesetStatus::FullyEnforced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::judgements::JudgementFile;
    use pipeline::Judgement;
    use std::fs::{self, File, OpenOptions};
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;

    /// The ways that work: to write over a file, to make one, to run a program, to connect, to
    /// read, to judge.
    fn rights(dir: &Path, judgements: &JudgementFile) -> [bool; 6] {
        let listener = TcpListener::bind("127.0.0.1:0");
        let judgement = Judgement {
            a: 1,
            b: 2,
            duplicate: true,
            resemblance: 0.75,
            url_a: None,
            url_b: None,
            judged: None,
        };
        let table = dir.join("table");
        [
            OpenOptions::new().write(true).open(&table).is_ok(),
            File::create(dir.join("new")).is_ok(),
            Command::new("true").status().is_ok(),
            listener.is_ok_and(|one| {
                one.local_addr()
                    .is_ok_and(|to| TcpStream::connect(to).is_ok())
            }),
            fs::read(&table).is_ok_and(|bytes| bytes == b"rows"),
            judgements.add(judgement).is_ok(),
        ]
    }

    #[test]
    fn a_server_reads_and_judges_and_does_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("table"), "rows").unwrap();
        let judged = |name: &str| JudgementFile::open(&dir.path().join(name)).unwrap();
        assert_eq!(rights(dir.path(), &judged("before.jsonl")), [true; 6]);
        fs::remove_file(dir.path().join("new")).unwrap();
        let (again, first) = (judged("before.jsonl"), judged("after.jsonl"));
        assert!(!dir.path().join("after.jsonl").exists());
        // Only this thread is restricted.
        let restricted = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let is_enforced = restrict(dir.path()).unwrap();
                is_enforced.then(|| [&again, &first].map(|file| rights(dir.path(), file)))
            });
            thread.join().unwrap()
        });
        let Some(restricted) = restricted else {
            eprintln!("NOT CHECKED: this kernel does not enforce all rules");
            return;
        };
        assert_eq!(restricted, [[false, false, false, false, true, true]; 2]);
        for (name, lines) in [("before.jsonl", 2), ("after.jsonl", 1)] {
            let text = fs::read_to_string(dir.path().join(name)).unwrap();
            assert_eq!(text.lines().count(), lines, "{name}");
        }
    }
}
