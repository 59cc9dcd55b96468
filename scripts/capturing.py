"""Pages as a crawler sees them: served on loopback, and written to WARC files by wget."""
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from places import expect

FIXED_DATE = "Thu, 01 May 2025 06:00:00 GMT"


class Handler(BaseHTTPRequestHandler):
    """Answers as the proxy of wget, so that any host name can be served without DNS."""

    protocol_version = "HTTP/1.1"
    # Head and body in one packet, at once: else each page waits 40 ms for a delayed acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def version_string(self):
        return "samples/1"

    def date_time_string(self, timestamp=None):
        return FIXED_DATE

    def do_GET(self):  # the name is prescribed by the base class
        answer = self.server.answer(self.path)
        if answer is None:
            self.send_error(404)
            return
        status, headers, body = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def capture(directory, name, urls, answer, max_size, *options):
    """Let wget fetch the URLs, in order, into directory/name-*.warc.gz. `answer` gives status, headers and body of a URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.answer = answer
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (directory / "urls.txt").write_text("".join(url + "\n" for url in urls))
    # Relative names only: wget copies its command line into every warcinfo record.
    command = ["wget", "--no-config", "-e", f"http_proxy=http://127.0.0.1:{server.server_port}/", "-e", "robots=off", "-nv",
               "--tries=1", "--max-redirect=0", "-O", "/dev/null", "-i", "urls.txt", "--no-warc-keep-log",
               f"--warc-file={name}", f"--warc-max-size={max_size}", *options]
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    server.shutdown()
    # 8: the server answered a request with an error.
    expect(done.returncode in (0, 8), f"wget ended with {done.returncode}\n{done.stdout[-2000:]}")
    # Not wget's own notes (-meta): they would count as documents.
    return sorted(directory.glob(f"{name}-[0-9]*.warc.gz"))
