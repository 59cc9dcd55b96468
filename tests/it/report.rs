//! The one file that `pipeline report` writes.

use crate::harness::Place;
use crate::web::samples;

/// A report without what the phases took.
fn without_times(report: &str) -> String {
    let (before, run) = report.split_once("<h2>The run</h2>").expect("the run");
    let (_, after) = run.split_once("</table>").expect("phases");
    format!("{before}{after}")
}

#[test]
fn a_report_replaces_files_only() {
    let place = samples();
    std::fs::write(place.path("real.html"), "").expect("written");
    std::os::unix::fs::symlink("real.html", place.path("link.html")).expect("made");
    place.pipeline(&["report", "-o", "link.html"]).exits(0);
    let metadata = std::fs::symlink_metadata(place.path("link.html")).expect("there");
    assert!(metadata.is_symlink());
    assert!(
        std::fs::metadata(place.path("real.html"))
            .expect("there")
            .len()
            > 1000
    );
    place.pipeline(&["report", "-o", "/dev/full"]).exits(4);
    std::fs::create_dir(place.path("directory")).expect("made");
    place.pipeline(&["report", "-o", "directory"]).exits(1);
    let mut names = std::fs::read_dir(place.path("")).expect("a directory");
    assert!(names.all(|name| !name.is_ok_and(|name| {
        let name = name.file_name();
        name.to_string_lossy().ends_with(".partial")
    })));
}

/// What `/dev/stdout` links to is a pipe or a file; a link of the same kind stands for it, as a
/// program that replaces it harms the system.
#[test]
fn reports_and_exports_are_written_through_standard_output() {
    let place = samples();
    let links = [("to-stdout", "/dev/fd/1"), ("to-file", "linked.txt")];
    for (link, target) in links {
        std::os::unix::fs::symlink(target, place.path(link)).expect("made");
    }
    for words in [&["report"][..], &["export", "removed"]] {
        let expected = place.pipeline(words).stdout();
        assert!(expected.len() > 1000);
        for path in ["/dev/fd/1", "to-stdout"] {
            let arguments = [words, &["-o", path]].concat();
            let ran = place.pipeline(&arguments);
            ran.exits(0);
            assert!(ran.stdout() == expected, "{arguments:?} to a pipe");
            let file = std::fs::File::create(place.path("redirected")).expect("made");
            let status = place.command(&arguments).stdout(file).status();
            assert!(status.is_ok_and(|status| status.success()), "{arguments:?}");
            let written = std::fs::read_to_string(place.path("redirected")).expect("there");
            assert!(written == expected, "{arguments:?} to a file");
        }
        place
            .pipeline(&[words, &["-o", "to-file"]].concat())
            .exits(0);
        let written = std::fs::read_to_string(place.path("linked.txt")).expect("there");
        assert!(written == expected, "{words:?} through a link");
        for (link, target) in links {
            let found = std::fs::read_link(place.path(link)).expect("a link");
            assert_eq!(found.to_str(), Some(target), "{words:?}");
        }
    }
}

#[test]
fn the_report_is_one_file() {
    let place = samples();
    let ran = place.pipeline(&["report", "-o", "report.html"]);
    ran.exits(0);
    ran.says("wrote report.html");
    let report = std::fs::read_to_string(place.path("report.html")).expect("a report");
    assert!(report.len() < 5 << 20);
    for outside in ["src=", "<link", "url(", "<script"] {
        assert!(!report.contains(outside), "{outside}");
    }
    let links = report.split("href=\"#").skip(1);
    for place in links.filter_map(|rest| rest.split('"').next()) {
        assert!(report.contains(&format!("id=\"{place}\"")), "{place}");
    }
    // UPDATE_GOLDEN=1 writes the one that docs/ publishes
    let published = crate::harness::repository().join("docs/sample-report.html");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&published, &report).expect("written");
    }
    let published = std::fs::read_to_string(published).expect("the published report");
    let is_published = without_times(&published) == without_times(&report);
    assert!(is_published, "docs/sample-report.html is not the report");
    let again = place.pipeline(&["report"]);
    again.exits(0);
    assert!(again.stdout() == report, "the second report differs");
    let empty = Place::new();
    empty.config(&[]);
    empty.corpus(1, 5);
    empty.pipeline(&["report"]).exits(1);
    empty.pipeline(&["serve", "--port", "0"]).exits(1);
}
