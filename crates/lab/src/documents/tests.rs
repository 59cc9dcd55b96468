use super::method::BANDS;
use super::*;
use crate::table::Cell;
use engine::runtime::progress::Progress;
use std::sync::{Arc, Mutex};

#[test]
fn methods_find_the_near_copies_of_a_directory() {
    let scratch = crate::program::Scratch::new().expect("a directory");
    let pages = (0..40).map(|number| {
        let mut words = crate::words::text(number / 4, 900);
        for edit in 0..number % 4 * 4 {
            words[(edit * 53 % 900) as usize] = format!("edit{number}");
        }
        words.join(" ")
    });
    scratch
        .write_documents("pages.jsonl", "text", pages)
        .expect("written");
    let config = ask::tokens::default_config().expect("the default");
    let silent = Reporter::silent();
    let base = scratch.path("");
    let documents = |one_in| EvaluatedDocuments {
        paths: vec!["pages.jsonl".to_owned()],
        base: &base,
        one_in,
    };
    let evaluation = evaluate_documents(documents(1), &config, &silent).expect("documents");
    let table = &evaluation.tables[0];
    let methods = Method::all(&config.sketch);
    assert_eq!(methods.len(), table.rows.len());
    for (method, cells) in methods.iter().zip(&table.rows) {
        let Cell::Number(recall) = cells[4] else {
            panic!("{cells:?}")
        };
        // Long super-shingles and long bands may miss a pair near 0.5.
        let may_miss = method.name == BANDS || method.size == Some(14);
        assert!(recall > 0.8 || may_miss, "{evaluation}");
    }
    // Clusters of what links join, in which the default errs by no link here.
    let of_default = &table.rows[3];
    assert_eq!(
        of_default[..2],
        [Cell::from("adaptive-modulus"), Cell::from(128_usize)]
    );
    assert_eq!(of_default[5..7], [Cell::Number(1.0), Cell::Number(1.0)]);
    let curve = &evaluation.tables[2];
    let compared = curve.points(["resemblance", "compared"]);
    assert!(
        compared.last().is_some_and(|last| last.1 > 0.9),
        "{compared:?}"
    );
    // A sample has fewer documents, and near copies stay together.
    let sampled = evaluate_documents(documents(2), &config, &silent).expect("documents");
    let setting = sampled.setting;
    let count: usize = setting
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number");
    assert!((8..36).contains(&count), "{setting}");
    // Block by block as at once.
    let mut small = config;
    small.work.memory_bytes = 1_500_000;
    let ended = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&ended);
    let reporter = Reporter::calling(move |progress| {
        if let Progress::Task(task) = progress
            && task.is_over
        {
            let mut noted = noted.lock().expect("no panic");
            noted.push((task.task, task.done, task.total));
        }
    });
    let blocks = evaluate_documents(documents(1), &small, &reporter).expect("documents");
    let ended = ended.lock().expect("no panic");
    let pairs = 40 * 39 / 2;
    assert_eq!(ended.last(), Some(&("compare", pairs, pairs)));
    assert_eq!(ended[0].0, "read");
    assert_eq!(ended[0].1, ended[0].2);
    let compared = ended.iter().filter(|task| task.0 == "compare");
    assert!(compared.count() > 1, "{ended:?}");
    assert_eq!(blocks.setting, evaluation.setting);
    for (some, all) in blocks.tables[0].rows.iter().zip(&table.rows) {
        assert_eq!(some[..7], all[..7]);
        assert_eq!(some[8..12], all[8..12]);
    }
    assert_eq!(blocks.tables[1].rows, evaluation.tables[1].rows);
    assert_eq!(blocks.tables[2].rows, evaluation.tables[2].rows);
    small.work.memory_bytes = 100_000;
    assert!(matches!(
        evaluate_documents(documents(1), &small, &silent),
        Err(Error::Budget(_))
    ));
}
