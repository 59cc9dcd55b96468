//! The stores that URLs name: one client for each bucket and each web server.

use std::collections::HashMap;
use std::hash::Hasher;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use decode::objects::{self, Object, ObjectChanged, ObjectStopped, ObjectStore};
use decode::open_file::Figures;
use object_store::aws::AmazonS3Builder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, ObjectMeta, ObjectStoreExt};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use twox_hash::XxHash3_64;
use url::Url;

use crate::object::StoredObject;

/// Objects that are looked at at once.
const LOOKS: usize = 16;

/// Bytes of a request before anything is reserved.
const FIRST_RANGE_BYTES: usize = 256 << 10;

/// Bytes of the largest request.
const MOST_RANGE_BYTES: usize = 8 << 20;

/// Requests of a reader at once.
pub(crate) const REQUESTS: usize = 4;

/// How often a waiting thread asks whether it shall stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// Reads URLs as input from now on. `stops` says whether the program is to end: then nothing waits
/// for the network any more.
///
/// # Errors
/// When the system refuses the threads of the network.
pub fn use_objects(stops: fn() -> bool) -> io::Result<()> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let stores = Arc::new(Stores {
        runtime,
        stops,
        clients: Mutex::default(),
        seen: Mutex::default(),
        range_bytes: AtomicUsize::new(FIRST_RANGE_BYTES),
        is_used: AtomicBool::new(false),
    });
    objects::use_store(Box::new(Store(stores)));
    Ok(())
}

/// A client of a bucket or of a web server.
pub(crate) type Client = Arc<dyn object_store::ObjectStore>;

/// What all objects share.
pub(crate) struct Stores {
    runtime: Runtime,
    stops: fn() -> bool,
    /// By scheme and host.
    clients: Mutex<HashMap<String, Client>>,
    /// What was looked at, by URL: opening it needs no request.
    seen: Mutex<HashMap<String, ObjectMeta>>,
    range_bytes: AtomicUsize,
    is_used: AtomicBool,
}

/// An object by its URL.
struct Located {
    client: Client,
    path: Path,
}

impl Stores {
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

    fn located(&self, url: &str) -> io::Result<Located> {
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
    fn see(&self, url: &str, meta: ObjectMeta) -> Figures {
        let figures = figures(url, &meta);
        locked(&self.seen).insert(url.to_owned(), meta);
        figures
    }
}

/// The answers of the stores.
struct Store(Arc<Stores>);

impl ObjectStore for Store {
    fn look_at(&self, urls: &[String]) -> Vec<io::Result<Figures>> {
        let stores = &self.0;
        let located: Vec<io::Result<Located>> =
            urls.iter().map(|url| stores.located(url)).collect();
        let mut answers: Vec<io::Result<ObjectMeta>> = Vec::with_capacity(urls.len());
        let mut requests = Vec::new();
        for (at, located) in located.into_iter().enumerate() {
            answers.push(Err(io::Error::other(ObjectStopped)));
            match located {
                Ok(located) => requests.push((at, located)),
                Err(error) => answers[at] = Err(error),
            }
        }
        // After a signal the answers that are missing say so.
        let _ = stores.wait(async {
            let mut requests = requests.into_iter();
            let mut running = JoinSet::new();
            loop {
                let free = LOOKS - running.len();
                for (at, Located { client, path }) in requests.by_ref().take(free) {
                    running.spawn(async move { (at, client.head(&path).await) });
                }
                match running.join_next().await {
                    Some(Ok((at, answer))) => answers[at] = answer.map_err(io_error),
                    Some(Err(_)) => {}
                    None => break,
                }
            }
        });
        let seen = urls.iter().zip(answers);
        seen.map(|(url, answer)| answer.map(|meta| stores.see(url, meta)))
            .collect()
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<(String, Figures)>> {
        let stores = &self.0;
        let Located { client, path } = stores.located(prefix)?;
        let host = prefix
            .match_indices('/')
            .nth(2)
            .map_or(prefix.len(), |(at, _)| at + 1);
        let host = &prefix[..host];
        let listed = stores.wait(async {
            let mut listed = Vec::new();
            let mut pages = client.list(Some(&path));
            while let Some(meta) =
                std::future::poll_fn(|context| pages.as_mut().poll_next(context)).await
            {
                listed.push(meta.map_err(io_error)?);
            }
            Ok(listed)
        })?;
        let listed: io::Result<Vec<ObjectMeta>> = listed;
        let seen = listed?.into_iter().map(|meta| {
            let url = format!("{host}{}", meta.location);
            let figures = stores.see(&url, meta);
            (url, figures)
        });
        Ok(seen.collect())
    }

    fn open(&self, url: &str) -> io::Result<Arc<dyn Object>> {
        let stores = &self.0;
        let Located { client, path } = stores.located(url)?;
        let seen = locked(&stores.seen).get(url).cloned();
        let meta = match seen {
            Some(meta) => meta,
            None => {
                let meta = stores.wait(client.head(&path))?.map_err(io_error)?;
                stores.see(url, meta.clone());
                meta
            }
        };
        let figures = figures(url, &meta);
        let stores = Arc::clone(stores);
        Ok(Arc::new(StoredObject::new(stores, client, meta, figures)))
    }

    fn reserve(&self, bytes: usize, readers: usize) -> usize {
        if !self.0.is_used.load(Ordering::Relaxed) {
            return 0;
        }
        // One reader more: a record is read again while others wait.
        let requests = REQUESTS * (readers + 1);
        let range = (bytes / requests).clamp(FIRST_RANGE_BYTES / 4, MOST_RANGE_BYTES);
        self.0.range_bytes.store(range, Ordering::Relaxed);
        range * requests
    }
}

/// The figures of an object. Listings and single answers give times of different precision, so
/// seconds count.
fn figures(url: &str, meta: &ObjectMeta) -> Figures {
    let modified_ns = i128::from(meta.last_modified.timestamp()) * 1_000_000_000;
    let mut hasher = XxHash3_64::new();
    for part in [Some(url), meta.e_tag.as_deref(), meta.version.as_deref()] {
        hasher.write(part.unwrap_or_default().as_bytes());
        hasher.write_u8(0xff);
    }
    Figures {
        bytes: meta.size,
        modified_ns,
        changed_ns: modified_ns,
        inode: hasher.finish(),
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
