"""Clients of `serve` that hold as many connections as they get, and one that asks."""
import socket
import subprocess
import threading
import time

from places import Place, expect, pages

LATEST_S = 25

HEAD = "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
FORM = ("POST /judge HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        "Content-Length: 4000\r\n\r\n")
MANY = "GET /script.js HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n" * 5_000

# What the others send at once, and whether they go on, a byte at a time.
CLIENTS = {"silent": ("", False), "slow heads": (HEAD, True), "slow forms": (FORM, True), "deaf": (MANY, False)}


def send(connections, text):
    """As much of the text as each connection takes without waiting."""
    for connection in connections:
        try:
            connection.send(text)
        except OSError:
            pass


def asked(port):
    """The answer to a request for the first page; empty if the connection was closed before."""
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as connection:
            connection.sendall((HEAD + "Connection: close\r\n\r\n").format(port=port).encode())
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))
    except OSError:
        return b""


def answered(inputs, files, kind):
    with Place().configure(inputs) as at:
        at.must("run", "-q")
        beside(at, files, kind)


def beside(at, files, kind):
    """A server with so many open files, as many clients, and how it answers another one."""
    limit = ("sh", "-c", f'ulimit -n {files}; exec "$0" "$@"')
    server = at.start("serve", "--port", "0", wrap=limit, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text, goes_on = CLIENTS[kind]
    others, over = [], threading.Event()
    try:
        port = int(server.stdout.readline().rstrip(b"/\n").rsplit(b":", 1)[1])
        for _ in range(files - 9):
            others.append(socket.create_connection(("127.0.0.1", port), 5))
            others[-1].setblocking(False)
        send(others, text.format(port=port).encode())

        def go_on():
            while not over.wait(0.3):
                send(others, b"x")

        thread = threading.Thread(target=go_on if goes_on else over.wait)
        thread.start()
        began = time.monotonic()
        while not (answer := asked(port)).startswith(b"HTTP/1.1 200 "):
            when = f"{files} open files, {kind} clients"
            expect(not answer or answer.startswith(b"HTTP/1.1 503 ") and b"Retry-After" in answer, f"{when}: {answer[:99]}")
            expect(time.monotonic() - began < LATEST_S, f"{when}: no page within {LATEST_S} s")
            time.sleep(0.1)
        over.set()
        thread.join()
    finally:
        over.set()
        server.kill()
        server.wait()
        for connection in others:
            connection.close()


def slow_clients(share):
    inputs = pages(21, 300)
    for files in (64, 256, 1024)[:1 if share < 1 else 3]:
        for kind in CLIENTS:
            yield lambda files=files, kind=kind: answered(inputs, files, kind)
