//! Clients of `serve` that are silent, slow, or do not take their answers, beside one that asks.

use crate::harness::Place;
use crate::web::Server;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long clients may be kept waiting by others that hold all connections.
const LATEST: Duration = Duration::from_secs(25);

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", server.port)).expect("connects");
    let timeout = Some(Duration::from_secs(5));
    stream.set_read_timeout(timeout).expect("a timeout");
    stream.set_write_timeout(timeout).expect("a timeout");
    stream
}

/// The answer, if the connection was not reset before it came.
fn asked(server: &Server, path: &str) -> Option<String> {
    let mut stream = connect(server);
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
        server.port
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Asks until there is a page; gives how long that took. All other answers say when to come again.
fn until_a_page(server: &Server) -> Duration {
    let began = Instant::now();
    loop {
        match asked(server, "/") {
            Some(answer) if answer.starts_with("HTTP/1.1 200 ") => return began.elapsed(),
            Some(answer) if !answer.is_empty() => {
                assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
                assert!(answer.contains("\r\nRetry-After: 5\r\n"), "{answer}");
            }
            _ => {}
        }
        assert!(began.elapsed() < LATEST, "no page");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Whether the server has closed the connection.
fn is_closed(stream: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).is_ok()
}

#[test]
fn silent_connections_hold_up_nobody() {
    let place = Place::with_corpus(3, 20);
    place.run();
    let server = Server::limited(&place, "-n 256");
    let mut silent: Vec<TcpStream> = (0..245).map(|_| connect(&server)).collect();
    until_a_page(&server);
    assert!(is_closed(&mut silent[0]));
    // A second request on one connection, then silence.
    let mut kept = connect(&server);
    let head = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
    for _ in 0..2 {
        kept.write_all(head.as_bytes()).expect("sent");
        let mut first = [0; 13];
        kept.read_exact(&mut first).expect("an answer");
        assert_eq!(&first, b"HTTP/1.1 200 ");
        kept.set_nonblocking(true).expect("set");
        while kept.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {}
        std::thread::sleep(Duration::from_millis(200));
        while kept.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {}
        kept.set_nonblocking(false).expect("set");
    }
    let began = Instant::now();
    kept.set_read_timeout(Some(LATEST)).expect("a timeout");
    assert!(is_closed(&mut kept));
    assert!(began.elapsed() < Duration::from_secs(15));
}

/// They send a byte of a head or of a form now and then, or ask and do not read.
#[test]
fn slow_clients_hold_up_nobody() {
    let place = Place::with_corpus(3, 20);
    place.run();
    let server = Server::limited(&place, "-n 128");
    let is_over = AtomicBool::new(false);
    let with_head = |head: &str| {
        let mut stream = connect(&server);
        let _ = write!(stream, "{head}Host: 127.0.0.1:{}\r\n", server.port);
        stream
    };
    std::thread::scope(|scope| {
        let form = "POST /judge HTTP/1.1\r\nContent-Length: 4000\r\n\
            Content-Type: application/x-www-form-urlencoded\r\n";
        let mut slow: Vec<TcpStream> = (0..20).map(|_| with_head("GET / HTTP/1.1\r\n")).collect();
        slow.extend((0..20).map(|_| {
            let mut stream = with_head(form);
            let _ = stream.write_all(b"\r\n");
            stream
        }));
        let is_over = &is_over;
        scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                for stream in &mut slow {
                    let _ = stream.write_all(b"x");
                }
                std::thread::sleep(Duration::from_millis(300));
            }
        });
        let all = format!(
            "GET /script.js HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
            server.port
        )
        .repeat(20_000);
        let mut deaf: Vec<TcpStream> = (0..8).map(|_| connect(&server)).collect();
        for stream in &mut deaf {
            let timeout = Some(Duration::from_millis(100));
            stream.set_write_timeout(timeout).expect("a timeout");
            let _ = stream.write_all(all.as_bytes());
        }
        let page = std::panic::catch_unwind(AssertUnwindSafe(|| until_a_page(&server)));
        is_over.store(page.is_err(), Ordering::Relaxed);
        assert!(page.is_ok(), "no page");
        std::thread::sleep(Duration::from_secs(7));
        is_over.store(true, Ordering::Relaxed);
        // What they did not take is lost.
        for stream in &mut deaf {
            stream.set_read_timeout(Some(LATEST)).expect("a timeout");
            let mut taken = [0; 1 << 16];
            while matches!(stream.read(&mut taken), Ok(1..)) {}
            let written = stream.write_all(b"GET / HTTP/1.1\r\n\r\n");
            let again = written.and_then(|()| stream.write_all(b"\r\n"));
            let ended = again.is_err() || matches!(stream.read(&mut taken), Ok(0) | Err(_));
            assert!(ended);
        }
    });
}
