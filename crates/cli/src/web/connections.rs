//! Connections of the server: how many there are at a time, and how long each may keep it waiting.
//!
//! *Input.* A listening socket, and what answers a request. *Output.* Answers. *Algorithm.* A task
//! a connection. One that is silent, sends its head or its form too slowly, or does not take its
//! answer, is closed at a time limit. *Limits.* Half of the open files that the process may have,
//! as pages open files too: three quarters of that half for connections that are answered, the rest
//! for those that are told to come again. The table of limits is in `docs/guide/web.md`.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use pipeline::Error;
use rustix::process::{Resource, getrlimit};
use std::future::Future;
use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// The head of a request is complete after this time, from the accepted connection or from the
/// answer before it. So this is how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(5);

/// The body of a form is complete after this time.
pub(crate) const BODY: Duration = Duration::from_secs(5);

/// A client takes some of its answer within this time.
const STALLED: Duration = Duration::from_secs(5);

/// And all of it within this time.
const ANSWER: Duration = Duration::from_secs(60);

/// A client that is asked to come again may go on sending for this time. A connection that is
/// closed before that is reset, and some clients then do not read the answer.
const LINGER: Duration = Duration::from_secs(1);

/// Where the system cannot give a connection, the server asks again after this time.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// The memory that the system takes for the answers of a connection, and counts double. By itself
/// it takes 4 MB from a client that asks and does not read.
const SENT_BYTES: u32 = 128 << 10;

/// Connections that wait until they are accepted.
const BACKLOG: u32 = 1024;

/// The most connections that are answered at a time. Each may have a buffer of 400 KiB.
const CONNECTIONS_MAX: u64 = 512;

/// The answer to a connection that is one too many.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n\
    Content-Type: text/plain; charset=utf-8\r\nContent-Length: 76\r\nConnection: close\r\n\r\n\
    The server has as many connections as it takes. Come again in five seconds.\n";

/// Connections that are answered, and that are asked to come again, at a time.
fn limits(open_files: Option<u64>) -> [usize; 2] {
    let files = open_files.unwrap_or(u64::MAX);
    let answered = (files / 8).saturating_mul(3).clamp(1, CONNECTIONS_MAX);
    // At most 512: fits usize.
    [answered as usize, (answered / 3).max(1) as usize]
}

/// The error of a server that cannot listen.
pub(super) fn not_listening(address: SocketAddr, error: io::Error) -> Error {
    match error.kind() {
        ErrorKind::AddrInUse => Error::Usage(format!(
            "failed to listen on {address}: another program does; name another port, or any free \
             one with --port 0"
        )),
        _ => Error::io(format!("listen on {address} (see --port)"))(error),
    }
}

/// Takes the port.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    // Connections have it from the socket that they were accepted from.
    socket.set_send_buffer_size(SENT_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Answers connections for ever.
pub(crate) async fn serve(listener: TcpListener, routes: Router) {
    let limits = limits(getrlimit(Resource::Nofile).current);
    let [answered, refused] = limits.map(|most| Arc::new(Semaphore::new(most)));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No open file is left, or the client is gone already.
            sleep(ACCEPT_AGAIN).await;
            continue;
        };
        if let Ok(permit) = Arc::clone(&answered).try_acquire_owned() {
            tokio::spawn(answer(stream, routes.clone(), permit));
        } else {
            // A client that is gone already needs no answer.
            let _ = refuse(stream, &refused);
        }
    }
}

/// Answers the requests of a connection.
async fn answer(stream: TcpStream, routes: Router, _permit: OwnedSemaphorePermit) {
    let io = TokioIo::new(LimitedStream {
        stream,
        waiting: None,
    });
    let service = TowerToHyperService::new(routes);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(io, service);
    // A client that is gone or too slow needs no message.
    let _ = connection.await;
}

/// Tells a client to come again. The buffer of a new connection takes the answer at once.
fn refuse(stream: TcpStream, refused: &Arc<Semaphore>) -> io::Result<()> {
    let mut stream = stream.into_std()?;
    stream.write_all(BUSY)?;
    stream.shutdown(Shutdown::Write)?;
    if let Ok(permit) = Arc::clone(refused).try_acquire_owned() {
        tokio::spawn(linger(TcpStream::from_std(stream)?, permit));
    }
    Ok(())
}

/// Reads what a client sends that was told to come again.
async fn linger(stream: TcpStream, _permit: OwnedSemaphorePermit) {
    let _ = timeout(LINGER, async {
        let mut sent = [0; 4096];
        while stream.readable().await.is_ok() {
            match stream.try_read(&mut sent) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Ok(1..) => {}
                _ => break,
            }
        }
    })
    .await;
}

/// An answer of which the client has not taken all.
struct Waiting {
    since: Instant,
    until: Pin<Box<Sleep>>,
}

/// A connection whose client must take what is written.
struct LimitedStream {
    stream: TcpStream,
    waiting: Option<Waiting>,
}

impl LimitedStream {
    /// The client took some of what was written, or none.
    fn after_write(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let now = Instant::now();
        match (&written, &mut self.waiting) {
            (Poll::Ready(_), None) => return written,
            (Poll::Ready(_), Some(waiting)) => {
                let end = (now + STALLED).min(waiting.since + ANSWER);
                waiting.until.as_mut().reset(end);
            }
            (Poll::Pending, Some(_)) => {}
            (Poll::Pending, None) => {
                let until = Box::pin(sleep(STALLED));
                self.waiting = Some(Waiting { since: now, until });
            }
        }
        let until = self.waiting.as_mut().map(|waiting| &mut waiting.until);
        match until.map(|until| until.as_mut().poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            _ => written,
        }
    }
}

impl AsyncRead for LimitedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, bytes)
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.after_write(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.after_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// The answer is written, as its writer calls this when nothing is left of it.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.waiting = None;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_half_of_the_open_files() {
        for files in [16, 40, 256, 1024, 1 << 20] {
            let [answered, refused] = limits(Some(files));
            assert!(answered + refused <= files as usize / 2, "{files}");
            assert!(answered >= files.min(1024) as usize / 4, "{files}");
        }
        assert_eq!(limits(None), [512, 170]);
    }

    #[test]
    fn the_refusal_says_how_long_it_is() {
        let text = std::str::from_utf8(BUSY).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = format!("Content-Length: {}\r\n", body.len());
        assert!(head.contains(&length), "{length}");
    }
}
