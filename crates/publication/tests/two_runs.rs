//! Two runs that publish to the same place.

use format::Disk;
use publication::publish::Publication;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The second run waits until the first has published, and publishes behind it.
#[test]
fn a_run_that_waits_for_another_publishes_after_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("out");
    let begin = |output: &Path| Publication::begin(&Disk::default(), output);
    let first = begin(&output).expect("the first begins");
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            let second = begin(&output).expect("the second begins");
            assert_eq!(second.shown().map(|before| before.number), Some(1));
            let second = second.name().expect("the second is whole");
            let number = second.number();
            second.show().expect("the second is published");
            number
        });
        // Time for the second to come to the lock.
        thread::sleep(Duration::from_millis(300));
        let first = first.name().expect("the first is whole");
        assert_eq!(first.number(), 1);
        first.show().expect("the first is published");
        assert_eq!(second.join().expect("no panic"), 2);
    });
    let shown = std::fs::read_link(&output).expect("a link");
    assert_eq!(shown, Path::new("out.d/g000002"));
}
