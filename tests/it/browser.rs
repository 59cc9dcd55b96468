//! The pages of `serve` in a real browser, driven by the WebDriver protocol.

use crate::harness::Place;
use crate::passage_views::samples;
use crate::web::{Server, hostile};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Chromium and its driver.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts both; `None` if they are not installed: no other test needs a browser, and not every
    /// system has this one.
    fn start() -> Option<Browser> {
        if Command::new("chromedriver")
            .arg("--version")
            .output()
            .is_err()
        {
            eprintln!("chromedriver is not installed: the pages were not opened in a browser");
            return None;
        }
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let stdout = BufReader::new(driver.stdout.take().expect("a pipe"));
        let port = stdout.lines().map_while(Result::ok).find_map(|line| {
            let port = line.strip_prefix("ChromeDriver was started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let mut browser = Browser {
            driver,
            port: port.expect("a port"),
            session: String::new(),
        };
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ];
        let made = browser.post(
            "",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"},
            }}}),
        );
        browser.session = format!("/{}", made["sessionId"].as_str().expect("a session"));
        browser.post("/timeouts", &json!({"script": 100_000}));
        Some(browser)
    }

    /// The value that the driver answers a command with.
    fn post(&self, command: &str, body: &Value) -> Value {
        let answer = self.request("POST", command, &body.to_string());
        assert!(answer["error"].is_null(), "{command}: {answer}");
        answer
    }

    fn request(&self, method: &str, command: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connects");
        stream
            .set_read_timeout(Some(Duration::from_secs(120)))
            .expect("a timeout");
        let (session, length) = (&self.session, body.len());
        let head = format!(
            "{method} /session{session}{command} HTTP/1.1\r\nHost: 127.0.0.1\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .expect("sent");
        // the driver keeps the connection open
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line of the head");
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        let value: Value = serde_json::from_slice(&body).expect("JSON");
        value["value"].clone()
    }

    fn go(&self, url: &str) {
        self.post("/url", &json!({"url": url}));
    }

    fn script(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Types into the page, or into an element that has the focus.
    fn type_keys(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                [
                    json!({"type": "keyDown", "value": key}),
                    json!({"type": "keyUp", "value": key}),
                ]
            })
            .collect();
        self.post(
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}),
        );
    }

    /// Waits for a condition of the page.
    #[track_caller]
    fn wait_for(&self, condition: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        while self.script(&format!("return Boolean({condition})")) != true {
            assert!(Instant::now() < end, "not so after 30 seconds: {condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What the page told the console since the last call.
    fn console(&self) -> Value {
        self.post("/se/log", &json!({"type": "browser"}))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.request("DELETE", "", "");
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn address(server: &Server, path: &str) -> String {
    format!("http://127.0.0.1:{}{path}", server.port)
}

/// A page of each view of the samples.
const VIEWS: [&str; 13] = [
    "/",
    "/clusters",
    "/clusters?sort=weakest-link&page=2",
    "/threshold",
    "/sites",
    "/time",
    "/cluster/15",
    "/document/15",
    "/document/18",
    "/passages",
    "/passages?documents=true",
    "/compare/23/30",
    "/search?q=nosuch",
];

#[test]
fn every_view_works_on_a_telephone_and_on_a_wide_screen() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let place = samples(30);
    let server = Server::start(&place);
    for width in [360, 1440] {
        browser.post("/window/rect", &json!({"width": width, "height": 900}));
        for path in VIEWS {
            browser.go(&address(&server, path));
            let overflow =
                browser.script("return document.documentElement.scrollWidth - window.innerWidth");
            assert!(
                overflow.as_i64() <= Some(0),
                "{path} at {width}: {overflow} pixels too wide"
            );
            assert_eq!(
                browser.script("return document.querySelectorAll('h1').length"),
                1,
                "{path}"
            );
            assert_eq!(browser.console(), json!([]), "{path} at {width}");
        }
    }

    // search by the keyboard alone
    browser.go(&address(&server, "/clusters"));
    browser.type_keys("/30\u{e007}");
    browser.wait_for("location.pathname === '/document/30'");
    // another order
    browser.go(&address(&server, "/clusters"));
    browser.script("document.querySelector('main a[href*=weakest-link]').click()");
    browser.wait_for("location.search === '?sort=weakest-link'");
    // rows by a column, and the other way round
    browser.go(&address(&server, "/cluster/15"));
    for direction in ["ascending", "descending"] {
        browser.script("document.querySelectorAll('main th .sort')[2].click()");
        let order = if direction == "ascending" { "<=" } else { ">=" };
        browser.wait_for(&format!(
            "document.querySelector('th[aria-sort={direction}]') && \
             [...document.querySelectorAll('td[data-value]')].map(e => Number(e.dataset.value)) \
             .every((value, at, all) => at === 0 || all[at - 1] {order} value)"
        ));
    }
    browser.go(&address(&server, "/"));
    browser.script("[...document.querySelectorAll('th .sort')].find(e => e.textContent === 'Documents').click()");
    browser.wait_for(
        "document.querySelector('th[aria-sort=descending]') && \
         [...document.querySelectorAll('tbody')][0].rows.length > 1",
    );
    // a list in pages is sorted by the server
    browser.go(&address(&server, "/clusters"));
    assert_eq!(
        browser.script("return document.querySelectorAll('.sort').length"),
        0
    );
    // from a cluster to the words that differ, and from one to the next
    browser.go(&address(&server, "/cluster/23"));
    browser.script("document.querySelector('a[href^=\"/compare/\"]').click()");
    browser.wait_for("location.pathname.startsWith('/compare/') && document.querySelector('ins')");
    let here = "[...document.querySelectorAll('.difference')].findIndex(e => e.classList.contains('here'))";
    for (keys, place) in [("n", 0), ("n", 1), ("p", 0)] {
        browser.type_keys(keys);
        browser.wait_for(&format!("{here} === {place}"));
    }
    // a judgement by a key
    browser.go(&address(&server, "/compare/23/30"));
    browser.type_keys("d");
    browser.wait_for("document.querySelector('button[aria-pressed=true]')?.dataset.key === 'd'");
    // through the pairs near the threshold
    browser.go(&address(&server, "/threshold"));
    browser.script("document.querySelector('a[href^=\"/compare/\"]').click()");
    browser.wait_for("document.querySelector('[data-key=j]')");
    let first = browser.script("return location.pathname");
    browser.type_keys("j");
    browser.wait_for(&format!(
        "location.pathname !== {first} && document.querySelector('[data-key=k]')"
    ));
    browser.type_keys("k");
    browser.wait_for(&format!("location.pathname === {first}"));
    assert_eq!(browser.console(), json!([]));
}

/// The checker of accessibility; `None` if it cannot be had.
fn axe() -> Option<String> {
    let dir = concat!(env!("CARGO_TARGET_TMPDIR"), "/axe");
    let path = format!("{dir}/node_modules/axe-core/axe.min.js");
    if std::fs::metadata(&path).is_err() {
        let npm = Command::new("npm")
            .args(["install", "--silent", "--no-save", "--ignore-scripts"])
            .args(["--prefix", dir, "axe-core@4.11"])
            .stdout(Stdio::null())
            .status();
        if !npm.is_ok_and(|status| status.success()) {
            eprintln!("axe-core cannot be had by npm: accessibility was not checked");
            return None;
        }
    }
    Some(std::fs::read_to_string(path).expect("axe-core is installed"))
}

#[test]
fn a_screen_reader_gets_all() {
    let (Some(browser), Some(axe)) = (Browser::start(), axe()) else {
        return;
    };
    let place = crate::changes::place();
    place.pipeline(&["run"]).exits(0);
    let (samples, nights) = (samples(30), place);
    samples.pipeline(&["report", "-o", "report.html"]).exits(0);
    let report = format!("file://{}", samples.path("report.html").display());
    let (server, of_nights) = (Server::start(&samples), Server::start(&nights));
    let mut pages: Vec<String> = VIEWS.iter().map(|path| address(&server, path)).collect();
    pages.extend([address(&of_nights, "/time"), report]);
    for scheme in ["light", "dark"] {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let params = json!({"features": features});
        browser.post(
            "/goog/cdp/execute",
            &json!({"cmd": "Emulation.setEmulatedMedia", "params": params}),
        );
        for page in &pages {
            browser.go(page);
            let script = format!(
                "{axe}; const done = arguments[arguments.length - 1]; \
                 axe.run(document).then(found => done(found.violations.map(\
                 v => v.impact + ': ' + v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' '))));"
            );
            let found = browser.post("/execute/async", &json!({"script": script, "args": []}));
            assert_eq!(found, json!([]), "{page}, {scheme}");
        }
    }
}

#[test]
fn no_crawled_script_runs() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let place: Place = hostile();
    let server = Server::start(&place);
    for path in hostile_pages(&place) {
        browser.go(&address(&server, &path));
        let alert = browser.request("GET", "/alert/text", "");
        assert_eq!(alert["error"], "no such alert", "{path}");
        let markup = browser.script("return document.querySelectorAll('main script, main img, main svg[onload], [onfocus], [onerror]').length");
        assert_eq!(markup, 0, "{path}");
        assert_eq!(browser.console(), json!([]), "{path}");
    }
}

fn hostile_pages(place: &Place) -> Vec<String> {
    let mut pages: Vec<String> = [
        "/",
        "/clusters",
        "/threshold",
        "/sites",
        "/time",
        "/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
    ]
    .map(str::to_owned)
    .into();
    for row in place.rows("membership") {
        pages.push(format!("/document/{}", row["doc_id"]));
        pages.push(format!("/cluster/{}", row["cluster_id"]));
    }
    pages.push("/compare/0/1".to_owned());
    pages
}
