use super::*;
use model::Unpoisoned;

/// A run of three phases that began ten seconds ago.
fn schedule() -> Schedule {
    Schedule {
        phases: [("sketch", 10.0), ("sort", 4.0), ("pairs", 6.0)].into(),
        ended_forecast: 0.0,
        began: Instant::now().checked_sub(Duration::from_secs(10)),
    }
}

#[test]
fn the_time_left_is_that_of_the_whole_run() {
    let mut schedule = schedule();
    // The first phase takes twice its forecast, so the others will.
    let left = schedule.left("sketch", 10.0);
    assert!((left - 30.0).abs() < 0.1, "{left}");
    schedule.end("sketch");
    // 10 s for a forecast of 10 s, and 4 s of the second phase.
    let left = schedule.left("sort", 4.0);
    assert!((left - 10.0).abs() < 0.1, "{left}");
    schedule.end("pairs");
    assert!(schedule.phases.is_empty() && schedule.left("pairs", 3.0) == 3.0);
    assert!(Schedule::default().left("dedup", 3.0) == 3.0);
}

#[test]
fn what_an_earlier_run_did_is_no_speed() {
    let task = Reporter::silent().task(PhaseName::Sketch, "bytes", 200);
    assert_eq!(task.resumed_percent(), None);
    task.resume(124);
    assert_eq!(task.resumed_percent(), Some(62));
    let state = &task.inner.state;
    assert_eq!(state.pace(124).0, 0.0);
    let message = bar_message(state, 124);
    assert_eq!(message, "0 B/s, 0 s left in all");
    task.add(76);
    assert!(state.pace(200).0 > 0.0);
}

#[test]
fn a_function_is_called_at_the_start_at_the_end_and_for_lines() {
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&told);
    let reporter = Reporter::calling(move |progress| {
        let text = match progress {
            Progress::Task(task) => format!(
                "{} {} of {} {}",
                task.task, task.done, task.total, task.unit
            ),
            Progress::Line(text) => (*text).to_owned(),
        };
        into.lock().unpoisoned().push(text);
    });
    reporter.line("note: a file was passed over");
    let task = reporter.task(PhaseName::Sort, "postings", 5);
    task.add(5);
    task.finish();
    let told = told.lock().unpoisoned();
    assert_eq!(
        told.first().map(String::as_str),
        Some("note: a file was passed over")
    );
    assert_eq!(
        told.last().map(String::as_str),
        Some("sort 5 of 5 postings")
    );
    assert!(told.len() >= 3, "{told:?}");
}
