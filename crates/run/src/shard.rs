//! `pipeline sketch`: one of several machines sketches its share of the input.
//!
//! *Input.* The files of `paths`, of which it lists all and reads those of the shard. *Output.* A
//! directory for the shard, beside the work directory. A run adopts it. *Algorithm.* Where another
//! shard of the division lies beside it, its files are not opened to know their formats: on a tree
//! of small files that takes half of the time. *Limits.* Snapshots are not divided: a run reads the
//! newest only, and one list numbers them.

use crate::hooks::RunHooks;
use crate::options::refuse_snapshots;
use crate::preflight;
use crate::steps::{execute, load, open_disk};
use config::Config;
use engine::{
    Engine, Error, PhaseName, intake::snapshots::Intake, runtime::cost::Meter, runtime::lock,
    runtime::threads::thread_pool,
};
use format::{Access, Disk, Manifest};
use phases::sketch::{Shard, run_shard};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A shard that is finished.
#[derive(Clone, Debug, Serialize)]
pub struct ShardOutcome {
    /// Which one, as `3/7`.
    pub shard: String,
    /// Its directory.
    pub dir: PathBuf,
    /// Files of the input that are in it.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their documents.
    pub documents: u64,
    /// Seconds by the clock.
    pub wall_s: f64,
    /// Seconds of CPU.
    pub cpu_s: f64,
}

impl fmt::Display for ShardOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "shard {}: {} documents in {} files, {} bytes; {:.2} s of CPU\nin {}",
            self.shard,
            self.documents,
            self.files,
            self.bytes,
            self.cpu_s,
            self.dir.display()
        )
    }
}

/// The manifest of another shard, on a disk that machines share, that knows the files of the input.
/// If it is of another input or other parameters, it spares nothing.
fn listed_beside(config: &Config, shard: Shard, dir: &Path) -> Option<Manifest> {
    let disk = Disk::default();
    let mut others = disk.list(&config.work.shards_dir()).unwrap_or_default();
    others.sort_unstable();
    // One that is damaged, or just being written, is not of this shard: it is passed over.
    others
        .iter()
        .filter(|other| *other != dir && shard.is_beside_directory(other))
        .filter_map(|other| Manifest::load(&disk, other).ok()?)
        .find(|known| !known.inputs.is_empty())
}

/// Sketches a shard of the input into its directory, but what an earlier call has finished.
///
/// # Errors
/// When the input has snapshots, cannot be read, or the work was interrupted.
pub fn sketch_shard(
    config: &Config,
    shard: Shard,
    hooks: &RunHooks,
) -> Result<ShardOutcome, Error> {
    preflight::check_memory(config)?;
    refuse_snapshots(config)?;
    let dir = config.work.shards_dir().join(shard.directory());
    lock::check_ours(&dir)?;
    // The input is listed before anything is made: a mistyped path leaves no directory behind.
    let own = load(&dir)?;
    let is_new = own.inputs.is_empty();
    let beside = is_new.then(|| listed_beside(config, shard, &dir)).flatten();
    let mut intake = Intake::scan(config, beside.as_ref().unwrap_or(&own))?;
    let is_listed_beside = beside.is_some() && intake.unknown_files == 0;
    drop((own, beside));
    tracing::info!(opened = intake.unknown_files, "input listed");
    let inputs = intake.take_inputs(config)?;
    let mut own = config.clone();
    own.work.dir.clone_from(&dir);
    Disk::default().create_dir(&dir, Access::Private)?;
    lock::check_private(&own.work)?;
    let lock = lock::acquire(&dir)?;
    let disk = open_disk(&own, Arc::clone(&hooks.stop));
    let pool = thread_pool(own.work.threads)?;
    let mut engine = Engine::over(&own, disk, load(&dir)?, &hooks.reporter).reading(inputs);
    let phase = PhaseName::Sketch;
    let meter = Meter::start(&engine.disk);
    let counts = execute(&mut engine, intake, |engine, _| {
        hooks.reporter.begin_phase(phase, &format!("shard {shard}"));
        engine
            .disk
            .create_dir(&engine.dir(phase), Access::Private)?;
        pool.install(|| run_shard(engine, shard, is_listed_beside))
    })?;
    drop(lock);
    let cost = meter.stop(&engine.disk, counts.documents);
    Ok(ShardOutcome {
        shard: shard.to_string(),
        dir,
        files: counts.files,
        bytes: counts.bytes,
        documents: counts.documents,
        wall_s: cost.wall_ms as f64 / 1000.0,
        cpu_s: cost.cpu_ms as f64 / 1000.0,
    })
}
