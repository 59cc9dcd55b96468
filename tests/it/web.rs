//! The pages of `serve`.

use crate::harness::Place;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server of the publication, and its port.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) fn start(place: &Place) -> Server {
        Server::of(place.command(&["serve", "--port", "0"]))
    }

    /// The server under a limit of the shell.
    pub(crate) fn limited(place: &Place, limit: &str) -> Server {
        let mut command = Command::new("bash");
        let script = format!("ulimit {limit}; exec \"$0\" serve --port 0");
        command
            .args(["-c", &script, env!("CARGO_BIN_EXE_pipeline")])
            .current_dir(place.path(""));
        Server::of(command)
    }

    fn of(mut command: Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let port = line.trim_end_matches("/\n").rsplit(':').next();
        let port = port.and_then(|port| port.parse().ok());
        Server {
            child,
            port: port.unwrap_or_else(|| panic!("no address in {line:?}")),
        }
    }

    /// The answer to a request for a path, with its head.
    pub(crate) fn get(&self, path: &str) -> String {
        self.request(&format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
            self.port
        ))
    }

    pub(crate) fn request(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connects");
        let timeout = Some(Duration::from_secs(60));
        stream.set_read_timeout(timeout).expect("a timeout");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// A page that must be there.
    #[track_caller]
    pub(crate) fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn samples() -> Place {
    let place = Place::new();
    let samples = crate::harness::repository().join("data-samples/web/*.warc.gz");
    let samples = samples.to_str().expect("text").to_owned();
    place.config(&[&format!("input.paths = [{samples:?}]")]);
    place.run();
    place
}

#[test]
fn every_view_shows_what_the_tables_hold() {
    let place = samples();
    let server = Server::start(&place);
    let report = std::fs::read(place.path("out/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    let overview = server.page("/");
    for count in [
        &report["input"]["documents"],
        &report["clusters"]["clusters"],
    ] {
        assert!(
            overview.contains(&format!("<strong>{count}</strong>")),
            "{count}: {overview}"
        );
    }

    let clusters = place.rows("clusters");
    let pages = 1..=clusters.len().div_ceil(50);
    let pages = pages.map(|page| server.page(&format!("/clusters?page={page}")));
    let listed = pages.collect::<String>();
    for cluster in &clusters {
        assert!(listed.contains(&format!("href=\"/cluster/{}\"", cluster["cluster_id"])));
    }
    let largest = clusters.iter().max_by_key(|row| row["documents"].as_u64());
    let largest = largest.expect("a cluster");
    let first = listed.split("href=\"/cluster/").nth(1).expect("a link");
    let first = first.split('"').next().and_then(|id| id.parse().ok());
    let first: u64 = first.expect("a number");
    let documents = |id: u64| {
        clusters
            .iter()
            .find(|row| row["cluster_id"] == id)
            .expect("listed")["documents"]
            .clone()
    };
    assert_eq!(documents(first), largest["documents"]);

    let similar = clusters
        .iter()
        .find(|row| row["kind"] == "similar")
        .expect("one");
    let id = &similar["cluster_id"];
    let page = server.page(&format!("/cluster/{id}"));
    let members = place.rows("membership");
    for member in members.iter().filter(|row| row["cluster_id"] == *id) {
        let doc = &member["doc_id"];
        assert!(page.contains(&format!("href=\"/document/{doc}\"")), "{doc}");
        let kept = &member["kept_doc_id"];
        let compares = page.contains(&format!("href=\"/compare/{kept}/{doc}\""));
        assert_eq!(compares, doc != kept, "{doc}");
        let document = server.page(&format!("/document/{doc}"));
        assert!(document.contains(&format!("/cluster/{id}")), "{doc}");
    }

    let explained = place.pipeline(&["explain", "23", "30", "--json"]).json();
    let comparison = server.page("/compare/23/30");
    let count = explained["difference"]["differences_in_all"].to_string();
    assert!(
        comparison.contains(&format!("; {count} differences: words.")),
        "{comparison}"
    );
    assert_eq!(
        comparison.matches("<del>that</del>").count(),
        comparison.matches("<ins>the</ins>").count()
    );

    let found = server.get("/search?q=http://edits.example/words/original.html");
    assert!(found.contains("location: /document/30\r\n"), "{found}");
    assert!(
        server
            .get("/search?q=30")
            .contains("location: /document/30\r\n")
    );
    // words of a title, among the first clusters and among all
    for address in [
        "/search?q=patient+TAILOR",
        "/search?q=patient+TAILOR&all=true",
    ] {
        let found = server.get(address);
        let named = found.matches("The patient tailor</div>").count();
        assert_eq!(named, 1, "{found}");
    }
    let none = server.get("/search?q=nosuch&all=true");
    assert!(none.contains("No cluster has such a title."), "{none}");
    for missing in [
        "/search?q=nosuch",
        "/document/999",
        "/cluster/999",
        "/nosuch",
        "/cluster/x",
        "/cluster/99999999999999999999",
        "/document/zz",
        "/compare/1/zz",
        "/compare/1/999",
    ] {
        let answer = server.get(missing);
        let is_refused = answer.starts_with("HTTP/1.1 404") && answer.contains(">Not found</h1>");
        assert!(
            is_refused || answer.contains("There is no document"),
            "{answer}"
        );
        assert!(!answer.contains("standard input"), "{answer}");
        assert!(
            answer.contains("content-security-policy: default-src 'none'"),
            "{answer}"
        );
    }
}

#[test]
fn a_new_publication_is_shown_at_once() {
    let place = Place::with_corpus(3, 20);
    place.run();
    let server = Server::start(&place);
    assert!(server.page("/").contains("<strong>20</strong>"));
    place.corpus(3, 31);
    place.run();
    assert!(server.page("/").contains("<strong>31</strong>"));
}

#[test]
fn a_port_that_is_taken_is_told_with_the_option_for_another() {
    let place = Place::with_corpus(3, 20);
    place.run();
    let server = Server::start(&place);
    let second = place.pipeline(&["serve", "--port", &server.port.to_string()]);
    second.exits(2);
    second.says("another program does; name another port, or any free one with --port 0");
}

#[test]
fn an_open_connection_does_not_hold_up_the_end() {
    let place = Place::with_corpus(3, 20);
    place.run();
    for signal in ["INT", "TERM"] {
        let mut server = Server::start(&place);
        let mut open = TcpStream::connect(("127.0.0.1", server.port)).expect("connects");
        open.write_all(b"GET / HTTP/1.1\r\n").expect("sent");
        server.page("/");
        let pid = server.child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-s", signal, &pid])
            .status();
        assert!(sent.expect("kill runs").success());
        let end = std::time::Instant::now() + Duration::from_secs(30);
        let code = loop {
            if let Some(status) = server.child.try_wait().expect("asked") {
                break status.code();
            }
            assert!(std::time::Instant::now() < end, "{signal}: still running");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(code, Some(0), "{signal}");
    }
}

#[test]
fn other_hosts_and_methods_are_refused() {
    let place = Place::with_corpus(3, 20);
    place.run();
    let server = Server::start(&place);
    let request = |method: &str, host: &str| {
        server.request(&format!(
            "{method} / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ))
    };
    let own = format!("localhost:{}", server.port);
    assert!(request("GET", &own).starts_with("HTTP/1.1 200"));
    assert!(request("POST", &own).starts_with("HTTP/1.1 405"));
    for host in [
        "evil.example",
        &format!("evil.example:{}", server.port),
        "127.0.0.1",
    ] {
        let answer = request("GET", host);
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
        assert!(!answer.contains("documents"), "{host}");
    }
}

/// Idle connections use up the open files; the server answers again when they are gone.
#[test]
fn a_server_without_free_descriptors_goes_on_when_it_has_some() {
    let place = Place::with_corpus(3, 20);
    place.run();
    let server = Server::limited(&place, "-n 40");
    let connect = |_| TcpStream::connect(("127.0.0.1", server.port)).expect("connects");
    let idle: Vec<TcpStream> = (0..60).map(connect).collect();
    std::thread::sleep(Duration::from_millis(300));
    drop(idle);
    let is_answered = || server.get("/").starts_with("HTTP/1.1 200 ");
    let tried = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        is_answered()
    });
    assert!(tried, "no answer after 10 s");
}

/// Texts that would run scripts if they were taken for markup.
const SCRIPTS: [&str; 10] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</title><svg onload=alert(1)>",
    "javascript:alert(1)",
    "' autofocus onfocus='alert(1)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<style>@import 'javascript:alert(1)'</style>",
    "</table></main><form action=javascript:alert(1)><button>x",
];

/// Pages of each.
const COPIES: usize = 3;

/// Thirty pages whose ids, URLs, titles and texts carry scripts.
pub(crate) fn hostile() -> Place {
    let place = Place::new();
    let mut lines = String::new();
    for (at, script) in SCRIPTS.iter().enumerate() {
        let shown = script.replace('&', "&amp;").replace('<', "&lt;");
        for copy in 0..COPIES {
            let words = "a page with words enough to be compared with another page of the crawl";
            let row = serde_json::json!({
                "id": format!("{script}{copy}"), "url": format!("{script}{at}{copy}"),
                "html": format!(
                    "<title>{shown}</title><p>{shown} {words} {at} {words} {at}{at} {copy} {shown}"
                ),
            });
            lines += &format!("{row}\n");
        }
    }
    place.write("crawl/pages.jsonl", lines);
    place.config(&["passages.words = 10"]);
    place.run();
    place
}

/// As text they show, as markup they do nothing.
#[test]
fn nothing_crawled_becomes_markup() {
    let place = hostile();
    let server = Server::start(&place);
    let clusters = place.rows("clusters");
    let mut pages = vec![
        server.page("/"),
        server.page("/clusters"),
        server.page("/threshold"),
        server.page("/search?q=%3Cscript%3Ealert(1)"),
        server.page("/passages"),
        server.page("/passages?documents=true"),
    ];
    assert!(pages[4].contains("a page with words enough"));
    let command = "<code>pipeline query url '&lt;script&gt;alert(1)'</code>";
    assert!(pages[3].contains(command), "a shell takes it as one word");
    for row in &clusters {
        pages.push(server.page(&format!("/cluster/{}", row["cluster_id"])));
    }
    for doc in 0..SCRIPTS.len() {
        let first = COPIES * doc;
        pages.push(server.page(&format!("/document/{first}")));
        pages.push(server.page(&format!("/compare/{first}/{}", first + 1)));
    }
    // these show no crawled text of such pages, or only as hosts
    for path in ["/sites", "/time"] {
        assert!(
            !server.page(path).to_lowercase().contains("<script>alert"),
            "{path}"
        );
    }
    place.pipeline(&["report", "-o", "report.html"]).exits(0);
    pages.push(std::fs::read_to_string(place.path("report.html")).expect("a report"));
    for page in &pages {
        let lower = page.to_lowercase();
        for bad in [
            "<script>alert",
            "<img",
            "<svg onload",
            "href=\"javascript",
            "<iframe",
            "<style>@",
            "<form action=javascript",
        ] {
            assert!(!lower.contains(bad), "{bad} in {page}");
        }
        assert!(lower.contains("alert(1)"), "the text is not shown: {page}");
    }
}

/// Where the files of the index are mapped.
fn mappings_of_the_index(server: &Server) -> Vec<String> {
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", server.child.id()));
    let maps = maps.expect("a list");
    let of_index = maps.lines().filter(|line| line.contains("/index/"));
    of_index.map(str::to_owned).collect()
}

#[test]
fn pages_that_were_touched_are_given_back() {
    let place = samples();
    let server = Server::start(&place);
    // Without the head, which has the time.
    let document = || {
        let answer = server.page("/document/30");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
        body.to_owned()
    };
    let shown = document();
    let first = mappings_of_the_index(&server);
    assert!(!first.is_empty());
    for _ in 0..40 {
        assert_eq!(document(), shown);
    }
    let now = mappings_of_the_index(&server);
    assert!(now.len() <= first.len(), "{now:?}");
    assert!(
        now.iter().all(|mapping| !first.contains(mapping)),
        "{now:?}"
    );
}

/// The most memory a process ever had, in MiB.
fn peak_mib(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.expect("figures");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse::<u64>().ok())
        .expect("a number")
        / 1024
}

/// Each holds two pages of 2 MB and their words.
#[test]
fn comparisons_that_nobody_waits_for_run_two_at_a_time() {
    let place = Place::new();
    let words: Vec<String> = (0..200_000)
        .map(|n: u64| format!("word{:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40))
        .collect();
    place.write("crawl/a.txt", words.join(" "));
    place.write("crawl/b.txt", words[..190_000].join(" "));
    place.config(&["work.memory = \"256MiB\""]);
    place.run();
    let server = Server::start(&place);
    let before = peak_mib(&server.child);
    server.page("/compare/0/1");
    let of_one = peak_mib(&server.child) - before;
    assert!(of_one > 20, "{of_one} MiB");
    for _ in 0..12 {
        let mut left = TcpStream::connect(("127.0.0.1", server.port)).expect("connects");
        let head = format!(
            "GET /compare/0/1 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
            server.port
        );
        left.write_all(head.as_bytes()).expect("sent");
        // Long enough for the request to be read.
        std::thread::sleep(Duration::from_millis(10));
    }
    server.page("/compare/0/1");
    let of_all = peak_mib(&server.child) - before;
    assert!(of_all < 3 * of_one, "{of_all} MiB, one takes {of_one}");
}

#[test]
fn a_page_shows_the_start_of_a_long_value() {
    let place = Place::new();
    let long = |letter: &str| letter.repeat(500_000);
    let row = format!(
        "{{\"id\": \"{}\", \"url\": \"http://a.test/\", \"note\": \"{}\", \"text\": \"words\"}}\n",
        long("i"),
        long("<")
    );
    place.write("crawl/a.jsonl", row);
    place.config(&["input.carry-fields = [\"note\"]"]);
    place.run();
    let page = Server::start(&place).get("/document/0");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.len() < 64 << 10, "{} bytes", page.len());
    assert_eq!(page.matches("498,000 characters more").count(), 1, "{page}");
    assert!(page.contains("498,002 characters more"), "{page}");
}
