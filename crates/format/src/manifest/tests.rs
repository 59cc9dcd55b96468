//! The manifest and its input files, whole, damaged, and on a failing disk.

use super::*;

#[test]
fn a_manifest_reads_back_and_a_changed_one_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    assert_eq!(Manifest::load(&disk, dir.path()).unwrap(), None);
    let mut manifest = Manifest {
        version: crate::FORMAT_VERSION,
        ..Manifest::default()
    };
    let figures = BTreeMap::from([("documents", 7)]);
    let record = PhaseRecord::of([], &figures);
    manifest.phases.insert("sketch".into(), record);
    manifest.store(&disk, dir.path()).unwrap();
    assert_eq!(
        Manifest::load(&disk, dir.path()).unwrap(),
        Some(manifest.clone())
    );
    let path = dir.path().join(NAME);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"documents\":7", "\"documents\":8")).unwrap();
    assert!(matches!(
        Manifest::load(&disk, dir.path()),
        Err(FormatError::Damaged { .. })
    ));
    manifest.version += 1;
    manifest.store(&disk, dir.path()).unwrap();
    assert!(matches!(
        Manifest::load(&disk, dir.path()),
        Err(FormatError::Mismatch { .. })
    ));
}

fn input(name: &str) -> InputFile {
    InputFile {
        name: name.to_owned(),
        format: "html".to_owned(),
        stat: model::FileStat {
            bytes: 7,
            modified_ns: -1,
            changed_ns: 1 << 70,
            inode: 3,
            device: 0,
        },
        digest: String::new(),
        is_of_source: false,
    }
}

#[test]
fn input_files_are_written_when_they_change_and_old_ones_go() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let mut manifest = Manifest {
        version: crate::FORMAT_VERSION,
        ..Manifest::default()
    };
    let names = || -> Vec<String> {
        let names = disk.list(dir.path()).unwrap();
        names
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect()
    };
    manifest.store(&disk, dir.path()).unwrap();
    assert_eq!(names(), [NAME]);
    // The files that a killed run began.
    std::fs::write(dir.path().join("inputs-1.json.part"), "[").unwrap();
    *manifest.inputs = (0..9).map(|n| input(&format!("page-{n}"))).collect();
    manifest.store(&disk, dir.path()).unwrap();
    let first = names();
    assert_eq!(first.len(), 2);
    let written = disk.traffic().0;
    manifest.phases.entry("sketch".into()).or_default();
    manifest.store(&disk, dir.path()).unwrap();
    assert_eq!(names(), first);
    let again = disk.traffic().0 - written;
    manifest.inputs[0].digest = "12".to_owned();
    manifest.store(&disk, dir.path()).unwrap();
    assert_eq!(names().len(), 2);
    assert_ne!(names(), first);
    let anew = disk.traffic().0 - written - again;
    assert!(anew > again + 100, "{again}, then {anew}");
    assert_eq!(Manifest::load(&disk, dir.path()).unwrap(), Some(manifest));
}

#[test]
fn a_disk_that_fails_in_the_middle_is_named_whatever_writes() {
    let mut manifest = Manifest {
        version: crate::FORMAT_VERSION,
        ..Manifest::default()
    };
    manifest
        .inputs
        .extend((0..3000).map(|n| input(&format!("page-{n}"))));
    let figures = (0..20_000).map(|n| (format!("figure-{n}"), n));
    let record = PhaseRecord::of([], &figures.collect::<BTreeMap<_, _>>());
    manifest.phases.insert("sketch".into(), record);
    for nth in 1.. {
        let dir = tempfile::tempdir().unwrap();
        let faults = crate::fault::Faults::failing(None, nth, 28);
        let disk = Disk::new(crate::disk::DiskOptions {
            faults,
            ..Default::default()
        });
        match manifest.store(&disk, dir.path()) {
            Err(error) => assert!(
                matches!(error, FormatError::NoSpace { .. }),
                "operation {nth}: {error}"
            ),
            Ok(()) => {
                assert!(nth > 8, "two files of several writes, {nth} operations");
                break;
            }
        }
    }
}

#[test]
fn damage_of_the_input_files_is_noticed_and_so_is_another_name_for_them() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let mut manifest = Manifest {
        version: crate::FORMAT_VERSION,
        ..Manifest::default()
    };
    manifest.inputs.extend([input("a"), input("b")]);
    manifest.store(&disk, dir.path()).unwrap();
    let path = disk
        .list(dir.path())
        .unwrap()
        .into_iter()
        .find(|path| !path.ends_with(NAME))
        .unwrap();
    let good = std::fs::read_to_string(&path).unwrap();
    assert!(good.contains("[7,"), "{good}");
    std::fs::write(&path, good.replace("[7,", "[8,")).unwrap();
    assert!(matches!(
        Manifest::load(&disk, dir.path()),
        Err(FormatError::Damaged { .. })
    ));
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(
        Manifest::load(&disk, dir.path()),
        Err(FormatError::Damaged { .. })
    ));
    std::fs::write(&path, &good).unwrap();
    let page = std::fs::read_to_string(dir.path().join(NAME)).unwrap();
    for name in ["inputs-12.json", "", "../inputs-12.json"] {
        let other = page.replace(path.file_name().unwrap().to_str().unwrap(), name);
        std::fs::write(dir.path().join(NAME), other).unwrap();
        assert!(
            matches!(
                Manifest::load(&disk, dir.path()),
                Err(FormatError::Damaged { .. })
            ),
            "{name:?}"
        );
    }
}

#[test]
fn input_files_that_stay_the_same_are_not_written_again() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let mut manifest = Manifest {
        version: crate::FORMAT_VERSION,
        ..Manifest::default()
    };
    let files = || (0..1000).map(|n| input(&format!("page-{n}"))).collect();
    manifest.inputs.replace(files());
    manifest.store(&disk, dir.path()).unwrap();
    let once = disk.traffic().0;
    manifest.inputs.replace(files());
    manifest.store(&disk, dir.path()).unwrap();
    assert!(disk.traffic().0 < once + once / 10);
    manifest.inputs.replace(vec![input("a")]);
    manifest.store(&disk, dir.path()).unwrap();
    assert_eq!(Manifest::load(&disk, dir.path()).unwrap(), Some(manifest));
}
