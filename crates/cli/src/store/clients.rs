//! One client for each bucket and each web server, and the threads that talk to them.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use decode::objects::{ObjectChanged, ObjectStopped};
use model::FileStat;
use object_store::ClientOptions;
use object_store::ObjectMeta;
use object_store::aws::AmazonS3Builder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use tokio::runtime::{Builder, Runtime};
use twox_hash::XxHash3_64;
use url::Url;

use crate::store::read_ahead::REQUESTS;

/// How often a waiting thread asks whether it shall stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// Bytes of a request before anything is reserved.
const FIRST_RANGE_BYTES: usize = 256 << 10;

/// Bytes of the largest request.
const MOST_RANGE_BYTES: usize = 8 << 20;

/// A client of a bucket or of a web server.
pub(crate) type Client = Arc<dyn object_store::ObjectStore>;

/// The state that all objects share.
pub(crate) struct Stores {
    runtime: Runtime,
    stops: fn() -> bool,
    /// By scheme and host.
    clients: Mutex<HashMap<String, Client>>,
    /// The objects that were looked at, by URL: opening it needs no request.
    seen: Mutex<HashMap<String, ObjectMeta>>,
    range_bytes: AtomicUsize,
    is_used: AtomicBool,
}

/// An object by its URL.
pub(crate) struct Located {
    pub(crate) client: Client,
    pub(crate) path: Path,
}

impl Stores {
    /// Without any client yet.
    pub(crate) fn new(stops: fn() -> bool) -> io::Result<Stores> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        Ok(Stores {
            runtime,
            stops,
            clients: Mutex::default(),
            seen: Mutex::default(),
            range_bytes: AtomicUsize::new(FIRST_RANGE_BYTES),
            is_used: AtomicBool::new(false),
        })
    }

    /// Allows so many bytes for reading ahead; gives the bytes that will be used.
    pub(crate) fn allow(&self, bytes: usize, readers: usize) -> usize {
        if !self.is_used.load(Ordering::Relaxed) {
            return 0;
        }
        // One reader more: a record is read again while others wait.
        let requests = REQUESTS * (readers + 1);
        let range = (bytes / requests).clamp(FIRST_RANGE_BYTES / 4, MOST_RANGE_BYTES);
        self.range_bytes.store(range, Ordering::Relaxed);
        range * requests
    }

    /// The facts that are known of an object, if it was looked at.
    pub(crate) fn seen(&self, url: &str) -> Option<ObjectMeta> {
        locked(&self.seen).get(url).cloned()
    }

    /// Waits for a result, as long as the program is not to end.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> io::Result<T> {
        self.runtime.block_on(async {
            let mut work = std::pin::pin!(work);
            loop {
                if let Ok(done) = tokio::time::timeout(STOP_CHECK, &mut work).await {
                    return Ok(done);
                }
                if (self.stops)() {
                    return Err(io::Error::other(ObjectStopped));
                }
            }
        })
    }

    /// Starts work that goes on while nobody waits for it.
    pub(crate) fn start<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime.spawn(work)
    }

    /// Bytes of the largest request now.
    pub(crate) fn range_bytes(&self) -> usize {
        self.range_bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn located(&self, url: &str) -> io::Result<Located> {
        self.is_used.store(true, Ordering::Relaxed);
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let parsed = Url::parse(url).map_err(|error| invalid(error.to_string()))?;
        if parsed.query().is_some() {
            return Err(invalid("a URL with a query is not read".to_owned()));
        }
        let host = &parsed[..url::Position::BeforePath];
        let path = match parsed.scheme() {
            // A key is taken as it is written, without escapes.
            "s3" => {
                let key = url.splitn(4, '/').nth(3).unwrap_or_default();
                Path::parse(key)
            }
            _ => Path::from_url_path(parsed.path()),
        };
        Ok(Located {
            client: self.client(host, &parsed)?,
            path: path.map_err(|error| invalid(error.to_string()))?,
        })
    }

    fn client(&self, host: &str, url: &Url) -> io::Result<Client> {
        let mut clients = locked(&self.clients);
        if let Some(client) = clients.get(host) {
            return Ok(Arc::clone(client));
        }
        let client: Client = match url.scheme() {
            "s3" => {
                let builder = AmazonS3Builder::from_env();
                let bucket = url.host_str().unwrap_or_default();
                Arc::new(builder.with_bucket_name(bucket).build().map_err(io_error)?)
            }
            "http" | "https" => {
                let options = ClientOptions::new().with_allow_http(true);
                let builder = HttpBuilder::new().with_url(host);
                let built = builder.with_client_options(options).build();
                Arc::new(built.map_err(io_error)?)
            }
            scheme => {
                let why = format!("{scheme}:// is not read; s3:// and https:// are");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
            }
        };
        clients.insert(host.to_owned(), Arc::clone(&client));
        Ok(client)
    }

    /// Remembers what was looked at.
    pub(crate) fn see(&self, url: &str, meta: ObjectMeta) -> FileStat {
        let stat = stat_of(url, &meta);
        locked(&self.seen).insert(url.to_owned(), meta);
        stat
    }
}

/// The figures of an object. A digest of the ETag stands for the times: a copy of the same bytes
/// has the same ETag at another time, and other bytes may come within the same second. The time
/// counts where there is no ETag, or a weak one, which does not tell bytes apart. Listings and
/// single answers give times of different precision, so seconds count.
pub(crate) fn stat_of(url: &str, meta: &ObjectMeta) -> FileStat {
    let tag = meta.e_tag.as_deref().filter(|tag| !tag.starts_with("W/"));
    let modified_ns = match tag {
        Some(tag) => i128::from(XxHash3_64::oneshot(tag.as_bytes())),
        None => i128::from(meta.last_modified.timestamp()) * 1_000_000_000,
    };
    FileStat {
        bytes: meta.size,
        modified_ns,
        changed_ns: modified_ns,
        inode: XxHash3_64::oneshot(format!("{url}\n{:?}", meta.e_tag).as_bytes()),
        device: 0,
    }
}

/// The error as the system would give it for a file. A refusal of the store is none of the file: a
/// wrong key must not look like a missing object.
pub(crate) fn io_error(error: object_store::Error) -> io::Error {
    match error {
        object_store::Error::NotFound { .. } => io::Error::new(io::ErrorKind::NotFound, error),
        object_store::Error::Precondition { .. } => io::Error::other(ObjectChanged),
        error => io::Error::other(error),
    }
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    fn meta(seconds: u64, tag: Option<&str>) -> ObjectMeta {
        ObjectMeta {
            location: Path::from("a"),
            last_modified: (UNIX_EPOCH + Duration::from_secs(seconds)).into(),
            size: 5,
            e_tag: tag.map(str::to_owned),
            version: Some(seconds.to_string()),
        }
    }

    #[test]
    fn the_etag_tells_objects_apart_and_the_time_where_there_is_none() {
        let of = |seconds, tag| stat_of("s3://bucket/a", &meta(seconds, tag));
        assert_eq!(of(1, Some("\"x\"")), of(2, Some("\"x\"")));
        assert_ne!(
            of(1, Some("\"x\"")).modified_ns,
            of(1, Some("\"y\"")).modified_ns
        );
        assert_ne!(of(1, Some("W/\"x\"")).inode, of(1, Some("W/\"y\"")).inode);
        for tag in [None, Some("W/\"x\"")] {
            assert_ne!(of(1, tag).modified_ns, of(2, tag).modified_ns);
            assert_eq!(of(1, tag), of(1, tag));
        }
        assert_ne!(
            stat_of("s3://bucket/b", &meta(1, None)).inode,
            of(1, None).inode
        );
    }
}
