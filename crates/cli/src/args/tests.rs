//! The arguments that the command line accepts.

use clap::CommandFactory;
use clap::error::ErrorKind;
use pipeline::PhaseName;

use super::*;

fn parse(line: &str) -> Result<Cli, ErrorKind> {
    Cli::try_parse_from(line.split(' ')).map_err(|error| error.kind())
}

#[test]
fn the_declaration_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn run_takes_its_options() {
    let line = "pipeline run --config c.toml --from sort --until cluster --force --dry-run --strict --json -vv";
    let Cli {
        command: Command::Run(run),
        config,
        verbose: 2,
        quiet: false,
        ..
    } = parse(line).expect("parses")
    else {
        panic!("not the run that was meant")
    };
    assert_eq!(config.config, Some(PathBuf::from("c.toml")));
    assert_eq!(
        (run.from, run.until, run.only),
        (Some(PhaseName::Sort), Some(PhaseName::Cluster), None)
    );
    assert!(run.force && run.dry_run && run.strict && run.json);
    let Command::Run(run) = parse("pipeline run").expect("parses").command else {
        panic!("not run")
    };
    assert!(!(run.force || run.dry_run || run.strict || run.json));
}

#[test]
fn every_verb_parses() {
    for line in [
        "pipeline init",
        "pipeline init dir",
        "pipeline init --schema",
        "pipeline run --set cluster.resemblance=0.7 --set work.memory=2GiB",
        "pipeline tokens file --set sketch.tokens=chars",
        "pipeline snapshot list --set work.dir=elsewhere",
        "pipeline status --json",
        "pipeline -q status",
        "pipeline -c x status",
        "pipeline run crawl other/*.warc.gz --work dir -o results",
        "pipeline run -",
        "pipeline status -q -c x",
        "pipeline verify --config x",
        "pipeline inspect file --json",
        "pipeline tokens file",
        "pipeline tokens -c x -- -file",
        "pipeline compare a b",
        "pipeline compare --config x 17 4294967301 --json",
        "pipeline export documents",
        "pipeline export clusters --format parquet -o x.parquet",
        "pipeline export pairs -f csv",
        "pipeline export common --format jsonl --output -",
        "pipeline query url http://a.example/",
        "pipeline export changes --format csv",
        "pipeline export moved",
        "pipeline export host_changes",
        "pipeline export cluster_changes",
        "pipeline export passages",
        "pipeline query passages",
        "pipeline query passages id:17 --json -n 3",
        "pipeline query lost http://a.example/ --json",
        "pipeline query history -c x http://a.example/",
        "pipeline query doc 17 --json -n 3",
        "pipeline query cluster 4294967296 --config x",
        "pipeline query group --json",
        "pipeline query common --limit 5",
        "pipeline dedup -o copies",
        "pipeline dedup --list --json --linkage star --keep hosts:[a,b]",
        "pipeline dedup -n --lossless 0.9 --against archive",
        "pipeline dedup -n --remove list.jsonl",
        "pipeline dedup a b --against x.jsonl --against y -o copies",
        "pipeline snapshot add january crawls/a crawls/*.gz --date 2026-01-31 --json",
        "pipeline snapshot list -c x --json",
        "pipeline snapshot drop january",
        "pipeline serve",
        "pipeline serve --port 8000 -c x",
        "pipeline report -o report.html",
        "pipeline completions zsh",
        "pipeline man",
        "pipeline man dir",
        "pipeline run --only index",
    ] {
        assert!(parse(line).is_ok(), "{line}: {:?}", parse(line));
    }
}

/// `query`, `explain` and `snapshot` have verbs of their own.
#[test]
fn every_verb_prints_json() {
    fn walk(command: &clap::Command, path: &str) {
        let verbs = command.get_subcommands();
        let verbs: Vec<_> = verbs.filter(|verb| verb.get_name() != "help").collect();
        let has_json = command
            .get_arguments()
            .any(|argument| argument.get_id() == "json");
        assert!(has_json || !verbs.is_empty(), "{path} has no --json");
        for verb in verbs {
            walk(verb, &format!("{path} {}", verb.get_name()));
        }
    }
    let mut command = Cli::command();
    command.build();
    walk(&command, "pipeline");
}

#[test]
fn wrong_lines_are_refused() {
    for (line, kind) in [
        (
            "pipeline",
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
        ),
        ("pipeline frobnicate", ErrorKind::InvalidSubcommand),
        ("pipeline run --phase sort", ErrorKind::UnknownArgument),
        ("pipeline run --set", ErrorKind::InvalidValue),
        ("pipeline init dir --schema", ErrorKind::ArgumentConflict),
        ("pipeline run --from nosuch", ErrorKind::InvalidValue),
        ("pipeline run --from", ErrorKind::InvalidValue),
        (
            "pipeline run --only sort --from pairs",
            ErrorKind::ArgumentConflict,
        ),
        (
            "pipeline run --work dir",
            ErrorKind::MissingRequiredArgument,
        ),
        ("pipeline run -o dir", ErrorKind::MissingRequiredArgument),
        ("pipeline run --force --force", ErrorKind::ArgumentConflict),
        ("pipeline -q -v run", ErrorKind::ArgumentConflict),
        ("pipeline compare a", ErrorKind::MissingRequiredArgument),
        ("pipeline inspect", ErrorKind::MissingRequiredArgument),
        ("pipeline inspect ", ErrorKind::InvalidValue),
        ("pipeline export rows", ErrorKind::InvalidValue),
        (
            "pipeline query",
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
        ),
        (
            "pipeline query common --limit 0",
            ErrorKind::ValueValidation,
        ),
        (
            "pipeline export pairs --format xls",
            ErrorKind::InvalidValue,
        ),
        ("pipeline dedup", ErrorKind::MissingRequiredArgument),
        ("pipeline dedup -o x --list", ErrorKind::ArgumentConflict),
        (
            "pipeline dedup -n --drop-all --against a",
            ErrorKind::ArgumentConflict,
        ),
        ("pipeline dedup -n --linkage chain", ErrorKind::InvalidValue),
        (
            "pipeline snapshot",
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
        ),
        (
            "pipeline snapshot add january",
            ErrorKind::MissingRequiredArgument,
        ),
        ("pipeline snapshot drop", ErrorKind::MissingRequiredArgument),
        ("pipeline snapshot rename a b", ErrorKind::InvalidSubcommand),
        ("pipeline completions tcl", ErrorKind::InvalidValue),
        ("pipeline --help", ErrorKind::DisplayHelp),
        ("pipeline run -h", ErrorKind::DisplayHelp),
        ("pipeline --version", ErrorKind::DisplayVersion),
    ] {
        assert_eq!(parse(line).map(|_| ()), Err(kind), "{line}");
    }
}

#[test]
fn every_help_has_examples_and_the_long_one_exit_codes() {
    let mut command = Cli::command();
    command.build();
    for verb in command
        .get_subcommands_mut()
        .filter(|verb| verb.get_name() != "help")
    {
        let (short, long) = (
            verb.render_help().to_string(),
            verb.render_long_help().to_string(),
        );
        assert!(
            short.contains("Examples:") && long.contains("Examples:"),
            "{}",
            verb.get_name()
        );
    }
    let long = command.render_long_help().to_string();
    for code in ["0", "1", "2", "3", "4", "5", "75", "130", "143"] {
        assert!(
            long.lines()
                .any(|line| line.trim_start().starts_with(&format!("{code}  "))),
            "{code}"
        );
    }
}

/// The message of the program about this line, but for the usage and the pointer to the help.
fn told(line: &str) -> String {
    let error = Cli::try_parse_from(line.split(' ')).expect_err("refused");
    let arguments = line.split(' ').map(std::ffi::OsString::from);
    let text = improved(error, arguments).render().to_string();
    let (message, _) = text.split_once("\n\nUsage").expect("a usage");
    message.replace("\n\n  ", "; ")
}

/// clap suggests `--set` for `--kept`, and `--from` for `--foo`.
#[test]
fn an_unknown_option_has_a_suggestion_that_helps_or_none() {
    for (line, tip) in [
        ("dedup --dry", "a similar argument exists: '--dry-run'"),
        ("run --strct", "a similar argument exists: '--strict'"),
        ("run --sett a", "a similar argument exists: '--set'"),
        ("run --see a", "a similar argument exists: '--seed'"),
        (
            "run crawl --config-file=x",
            "a similar argument exists: '--config'",
        ),
        (
            "query url --limits 3",
            "a similar argument exists: '--limit'",
        ),
        (
            "run --kept",
            "an option of another command: '--kept' of 'pipeline dedup'",
        ),
        (
            "--dry-run run",
            "an option of another command: '--dry-run' of 'pipeline run' and 'pipeline dedup'",
        ),
        (
            "-c run dedup --threads 2",
            "a key of the configuration: '--set work.threads=VALUE'",
        ),
        (
            "tune --memory=2GiB",
            "a key of the configuration: '--set work.memory=VALUE'",
        ),
        (
            "tune --resemblance 0.5",
            "a key of the configuration: '--set cluster.resemblance=VALUE'",
        ),
        ("dedup --foo", "to pass '--foo' as a value, use '-- --foo'"),
        ("status --foo", ""),
        ("--foo", ""),
        ("run --foo", ""),
    ] {
        let told = told(&format!("pipeline {line}"));
        let option = line.split([' ', '=']).find(|word| word.starts_with("--"));
        let mut expected = format!(
            "error: unexpected argument '{}' found",
            option.expect("one")
        );
        if !tip.is_empty() {
            expected += &format!("; tip: {tip}");
        }
        assert_eq!(told, expected, "{line}");
    }
    let kept = told("pipeline dedup --kept");
    assert!(kept.ends_with("were not provided:\n  --list"), "{kept}");
}

#[test]
fn paths_that_are_no_text_are_accepted() {
    use std::os::unix::ffi::OsStringExt;
    let odd = std::ffi::OsString::from_vec(b"caf\xE9".to_vec());
    let line = [
        std::ffi::OsString::from("pipeline"),
        "inspect".into(),
        odd.clone(),
    ];
    let Command::Inspect(inspect) = Cli::try_parse_from(line).expect("parses").command else {
        panic!("not inspect")
    };
    assert_eq!(inspect.file.into_os_string(), odd);
}

#[test]
fn the_exit_codes_are_those_of_the_guide() {
    let codes = EXIT_CODES.lines().skip(1).map_while(|line| {
        let (code, meaning) = line.trim_start().split_once("  ")?;
        Some(format!("| {code} | {meaning} |"))
    });
    let codes: Vec<String> = codes.collect();
    let text = std::fs::read_to_string("../../docs/guide/exit-codes.md").expect("a page");
    let rows = text
        .lines()
        .skip_while(|line| *line != "| code | meaning |");
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<String> = rows.map(|row| row.replace('`', "")).collect();
    assert_eq!(rows, codes);
}
