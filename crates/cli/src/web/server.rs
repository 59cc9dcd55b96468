//! `pipeline serve`: the pages over HTTP, for this machine alone.

use crate::web::answers::{HTML, HeldPages, message, no_such_page, redirect};
use crate::web::connections;
use crate::web::judgements::JudgementFile;
use crate::web::page::{ICON, Medium, PageAnswer, SCRIPT, STYLE, View, page};
use crate::web::pages::clusters::{ClustersRequest, clusters};
use crate::web::pages::compare::JudgeRequest;
use crate::web::pages::passages::{PassagesRequest, passages};
use crate::web::pages::search::{SearchRequest, search};
use crate::web::pages::{cluster, compare, document, overview, sites, threshold, time};
use crate::web::safety::{headers, is_own_host};
use crate::web::sandbox;
use crate::web::site::Site;
use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Form, FromRequest, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use maud::Markup;
use pipeline::Error;
use pipeline::config::Config;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How many comparisons or passes over a table run at a time. Each takes memory of its own.
const COMPARISONS: usize = 2;

/// Bytes of a form.
const FORM_BYTES: usize = 4096;

/// The documents that an address names by numbers, if they are numbers.
type Named<T> = Result<Path<T>, PathRejection>;

/// A server that has a port and waits for requests.
pub(crate) struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    config: Config,
    site: Arc<Site>,
    judgements: JudgementFile,
}

impl Server {
    /// Opens the newest publication and the file of judgements, which the first one makes; takes
    /// the port of the loopback interface, for 0 a free one.
    pub(crate) fn open(
        config: &Config,
        port: u16,
        judgements: &std::path::Path,
    ) -> Result<Server, Error> {
        let site = Arc::new(Site::open(config)?);
        let judgements = JudgementFile::open(judgements)?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(8)
            .build()
            .map_err(Error::io("start the server".to_owned()))?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = runtime
            .block_on(async { connections::listen(address) })
            .map_err(|error| connections::not_listening(address, error))?;
        let address = listener
            .local_addr()
            .map_err(Error::io(format!("listen on {address}")))?;
        Ok(Server {
            runtime,
            listener,
            address,
            config: config.clone(),
            site,
            judgements,
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until SIGINT or SIGTERM. From here on this thread cannot write files: see
    /// [`sandbox`]. Says so by `note` where the kernel does not enforce all of it.
    pub(crate) fn run(self, note: impl FnOnce(&str)) -> Result<(), Error> {
        if !sandbox::restrict(self.judgements.directory())? {
            note("the kernel does not enforce all limits of the server (Landlock, Linux 6.10)");
        }
        let app = Arc::new(App {
            config: self.config,
            site: Mutex::new(self.site),
            comparisons: Arc::new(Semaphore::new(COMPARISONS)),
            pages: HeldPages::new(),
            judgements: self.judgements,
            port: self.address.port(),
        });
        let routes = routes(app);
        let listener = self.listener;
        let stopped = self.runtime.block_on(async move {
            let served = tokio::spawn(connections::serve(listener, routes));
            let stopped = until_signal().await;
            served.abort();
            stopped
        });
        // neither an open connection nor an answer under way holds up the end
        self.runtime.shutdown_background();
        stopped.map_err(Error::io("wait for a signal".to_owned()))
    }
}

async fn until_signal() -> io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    std::future::poll_fn(|context| match interrupt.poll_recv(context) {
        Poll::Ready(_) => Poll::Ready(()),
        Poll::Pending => terminate.poll_recv(context).map(|_| ()),
    })
    .await;
    Ok(())
}

/// The state that all requests share.
struct App {
    config: Config,
    site: Mutex<Arc<Site>>,
    comparisons: Arc<Semaphore>,
    pages: HeldPages,
    judgements: JudgementFile,
    port: u16,
}

impl App {
    /// The publication that is shown now.
    fn site(&self) -> Result<Arc<Site>, Error> {
        let mut site = self.site.lock().unwrap_or_else(PoisonError::into_inner);
        if site.is_outdated() {
            *site = Arc::new(Site::open(&self.config)?);
        }
        site.begin_answer();
        Ok(Arc::clone(&site))
    }

    /// Whether the page of a document may show its text. No wait for a publication to be opened.
    fn reads_documents(&self) -> bool {
        let site = self.site.try_lock();
        site.map_or(true, |site| site.passages.is_some())
    }
}

fn routes(app: Arc<App>) -> Router {
    let asset = |content_type, bytes: &'static str| {
        get(move || async move { (headers(content_type), bytes) })
    };
    let options = pipeline::config_options();
    let of_time = format!("pipeline export moved{options}; pipeline export cluster_changes");
    Router::new()
        .route(
            "/",
            shown_view(View::Overview, "pipeline status", overview::overview),
        )
        .route("/clusters", get(show_clusters))
        .route(
            "/threshold",
            shown_view(
                View::Threshold,
                "pipeline tune --sample 10",
                threshold::threshold,
            ),
        )
        .route(
            "/sites",
            shown_view(View::Sites, "pipeline export host_pairs", |site, _| {
                sites::sites(site)
            }),
        )
        .route("/time", shown_view(View::Time, &of_time, time::time))
        .route("/passages", get(show_passages))
        .route("/cluster/{id}", get(show_cluster))
        .route("/document/{id}", get(show_document))
        .route("/compare/{a}/{b}", get(show_comparison))
        .route("/judge", post(judge))
        .route("/search", get(show_search))
        .route("/style.css", asset("text/css; charset=utf-8", STYLE))
        .route("/icon.svg", asset("image/svg+xml", ICON))
        .route(
            "/script.js",
            asset("text/javascript; charset=utf-8", SCRIPT),
        )
        .fallback(|| async { no_such_page() })
        .layer(DefaultBodyLimit::max(FORM_BYTES))
        .layer(from_fn_with_state(Arc::clone(&app), only_own_host))
        .with_state(app)
}

async fn only_own_host(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = if is_own_host(request.headers(), app.port) {
        next.run(request).await
    } else {
        let detail = "The request names another host than this machine.";
        message(StatusCode::FORBIDDEN, "Refused", detail)
    };
    // answers of the router itself have no headers yet
    for (name, value) in headers(HTML) {
        if let Some(name) = name {
            response.headers_mut().entry(name).or_insert(value);
        }
    }
    response
}

/// A page that the head of every page leads to, but for the list of clusters.
fn shown_view(
    view: View,
    command: &str,
    make: fn(&Site, Medium) -> Markup,
) -> MethodRouter<Arc<App>> {
    let command: Arc<str> = Arc::from(command);
    get(move |State(app): State<Arc<App>>| {
        answer(app, move |site| {
            let content = make(site, Medium::Server);
            Ok(shown(view, view.name(), &command, &content))
        })
    })
}

async fn show_clusters(
    State(app): State<Arc<App>>,
    request: Result<Query<ClustersRequest>, QueryRejection>,
) -> Response {
    let request = request.map(|Query(request)| request).unwrap_or_default();
    answer(app, move |site| {
        let content = clusters(site, request);
        let command = "pipeline export clusters";
        Ok(shown(View::Clusters, "Clusters", command, &content))
    })
    .await
}

async fn show_cluster(State(app): State<Arc<App>>, id: Named<i64>) -> Response {
    let Ok(Path(id)) = id else {
        return no_such_page();
    };
    let framed = move |content: &Markup| {
        let command = format!("pipeline query cluster {id}");
        page(View::Other, &format!("Cluster {id}"), &command, content)
    };
    let present = answer(Arc::clone(&app), move |site| {
        cluster::cluster(site, id).map(|content| PageAnswer::Page(framed(&content)))
    });
    match present.await {
        response if response.status() != StatusCode::NOT_FOUND => response,
        // Only then is the journal read.
        _ => {
            comparing(app, move |_, site| {
                cluster::gone(site, id).map(|content| PageAnswer::Gone(framed(&content)))
            })
            .await
        }
    }
}

async fn show_document(State(app): State<Arc<App>>, id: Named<i64>) -> Response {
    let Ok(Path(id)) = id else {
        return no_such_page();
    };
    let make = move |site: &Site| {
        let content = document::document(site, id)?;
        let command = format!("pipeline query doc {id}");
        Ok(shown(View::Other, &site.name_of(id), &command, &content))
    };
    match app.reads_documents() {
        true => comparing(app, move |_, site| make(site)).await,
        false => answer(app, make).await,
    }
}

async fn show_passages(
    State(app): State<Arc<App>>,
    request: Result<Query<PassagesRequest>, QueryRejection>,
) -> Response {
    let request = request.map(|Query(request)| request).unwrap_or_default();
    comparing(app, move |_, site| {
        let content = passages(site, request)?;
        let command = "pipeline query passages";
        Ok(shown(View::Other, "Repeated passages", command, &content))
    })
    .await
}

async fn show_comparison(State(app): State<Arc<App>>, pair: Named<(i64, i64)>) -> Response {
    let Ok(Path((a, b))) = pair else {
        return no_such_page();
    };
    comparing(app, move |app, site| {
        let content = compare::compare(site, &app.judgements, a, b)?;
        let command = format!("pipeline explain {a} {b}");
        let title = compare::title(site, a, b);
        Ok(shown(View::Other, &title, &command, &content))
    })
    .await
}

/// Keeps what the user says of two documents, and shows them again.
async fn judge(State(app): State<Arc<App>>, request: Request) -> Response {
    let read = timeout(connections::BODY, Form::from_request(request, &()));
    let Ok(Ok(Form(request))): Result<Result<Form<JudgeRequest>, _>, _> = read.await else {
        let detail = "The form is not that of a comparison.";
        return message(StatusCode::BAD_REQUEST, "Refused", detail);
    };
    if !app.judgements.accepts(&request.token) {
        let detail = "The form is not of this server. Load the comparison again, then judge.";
        return message(StatusCode::FORBIDDEN, "Refused", detail);
    }
    if request.a == request.b {
        let detail = "Only two different documents can be judged.";
        return message(StatusCode::BAD_REQUEST, "Refused", detail);
    }
    comparing(app, move |app, site| {
        app.judgements.add(compare::judgement(site, &request)?)?;
        let (a, b) = (request.a, request.b);
        Ok(PageAnswer::Redirect(format!("/compare/{a}/{b}")))
    })
    .await
}

/// Makes an answer that compares documents or reads a table.
async fn comparing(
    app: Arc<App>,
    make: impl FnOnce(&App, &Site) -> Result<PageAnswer, Error> + Send + 'static,
) -> Response {
    let Ok(permit) = Arc::clone(&app.comparisons).acquire_owned().await else {
        let (status, detail) = (StatusCode::SERVICE_UNAVAILABLE, "The server stops.");
        return message(status, "Stopped", detail);
    };
    let of_answer = Arc::clone(&app);
    answer(app, move |site| {
        // Held until the work ends, which goes on if the client does not wait for it.
        let _permit = permit;
        make(&of_answer, site)
    })
    .await
}

async fn show_search(
    State(app): State<Arc<App>>,
    request: Result<Query<SearchRequest>, QueryRejection>,
) -> Response {
    let request = request.map(|Query(request)| request).unwrap_or_default();
    if request.all {
        return comparing(app, move |_, site| search(site, &request)).await;
    }
    answer(app, move |site| search(site, &request)).await
}

fn shown(view: View, title: &str, command: &str, content: &Markup) -> PageAnswer {
    PageAnswer::Page(page(view, title, command, content))
}

/// Makes the answer on a thread that may wait for the disk.
async fn answer(
    app: Arc<App>,
    make: impl FnOnce(&Site) -> Result<PageAnswer, Error> + Send + 'static,
) -> Response {
    let failed = |detail: &str| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        message(status, "That failed", detail)
    };
    let held = Arc::clone(&app);
    let made = tokio::task::spawn_blocking(move || app.site().and_then(|site| make(&site))).await;
    match made {
        Ok(Ok(PageAnswer::Page(page))) => held.pages.answer(StatusCode::OK, page.into_string()),
        Ok(Ok(PageAnswer::Gone(page))) => {
            held.pages.answer(StatusCode::NOT_FOUND, page.into_string())
        }
        Ok(Ok(PageAnswer::Redirect(to))) => redirect(&to),
        Ok(Err(error @ Error::NotFound(_))) => {
            message(StatusCode::NOT_FOUND, "Not found", &error.to_string())
        }
        Ok(Err(error @ Error::InputChanged(_))) => {
            let title = "The input changed since the run";
            message(StatusCode::CONFLICT, title, &error.to_string())
        }
        Ok(Err(error)) => failed(&error.to_string()),
        Err(_) => failed("The page could not be made. Please report this."),
    }
}
