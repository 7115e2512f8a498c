#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Captures replies of running Redis and Valkey clusters, byte for byte as they are sent.

    python3 tests/compat/redis_replies/capture.py redis-server redis-7.0
    python3 tests/compat/redis_replies/capture.py valkey-server valkey-8.0

Starts clusters of that program on loopback, ports 7001 to 7006 (bus 17001 to 17006), and writes to
the folder of that name beside this file. Needs the openssl program. README.md lists what is made.
"""

import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds
NODE_TIMEOUT = 3000  # milliseconds without an answer after which a node is suspected


def reply(stream):
    """One whole reply, as sent."""
    head = stream.readline()
    kind, count = head[:1], head[1:-2]
    if kind in b"$=" and count != b"-1":
        return head + stream.read(int(count) + 2)
    items = {b"*": 1, b"%": 2}.get(kind, 0) * max(0, int(count) if kind in b"*%" else 0)
    return head + b"".join(reply(stream) for _ in range(items))


class Connection:
    def __init__(self, host, port, tls=None):
        plain = socket.create_connection((host, port), timeout=PATIENCE)
        self.socket = tls.wrap_socket(plain) if tls else plain
        self.stream = self.socket.makefile("rb")

    def ask(self, *words):
        encoded = [str(word).encode() for word in words]
        parts = [b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded]
        self.socket.sendall(b"*%d\r\n%s" % (len(parts), b"".join(parts)))
        return reply(self.stream)

    def text(self, *words):
        """The contents of a bulk reply."""
        return self.ask(*words).split(b"\r\n", 1)[1][:-2].decode()


class Node:
    """A running server."""

    running = []

    def __init__(self, program, folder, number, host="127.0.0.1", options=(), tls=None):
        self.host, self.port, self.bus, self.tls = host, 7000 + number, 17000 + number, tls
        self.folder = folder / str(self.port)
        self.folder.mkdir(exist_ok=True)
        log = open(self.folder / "log", "ab")
        words = [program, "--cluster-enabled", "yes", "--bind", host, "--dir", str(self.folder)]
        words += ["--save", "", "--appendonly", "no", "--cluster-port", str(self.bus)]
        words += ["--cluster-node-timeout", str(NODE_TIMEOUT), "--protected-mode", "no"]
        words += ["--cluster-require-full-coverage", "no", "--repl-diskless-sync-delay", "0"]
        words += ["--repl-ping-replica-period", "1", "--port"]
        words += [str(self.port), *options]
        self.process = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        Node.running.append(self.process)
        wait_for(f"port {self.port}", self.connect)
        self.connection = self.connect()
        self.id = self.connection.text("CLUSTER", "MYID")

    def connect(self):
        try:
            return Connection(self.host, self.port, self.tls)
        except OSError:
            return None

    def ask(self, *words):
        answer = self.connection.ask(*words)
        if answer.startswith(b"-"):
            raise RuntimeError(f"{self.port}: {words}: {answer}")
        return answer

    def line_of(self, other):
        lines = self.connection.text("CLUSTER", "NODES").splitlines()
        return next((line for line in lines if line.startswith(other.id)), "")

    def stop(self):
        self.process.kill()
        self.process.wait()


def wait_for(what, done):
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end:
            raise RuntimeError(f"waited for {what}")
        time.sleep(0.05)


def meet(nodes):
    first = nodes[0]
    for node in nodes[1:]:
        first.ask("CLUSTER", "MEET", node.host, node.port, node.bus)
    wait_for("the nodes to know each other", lambda: all(
        node.line_of(other) and "handshake" not in node.line_of(other)
        for node in nodes for other in nodes))


def deal(nodes):
    """Gives the nodes equal runs of slots, and waits until each knows of it."""
    for i, node in enumerate(nodes):
        first, end = 16384 * i // len(nodes), 16384 * (i + 1) // len(nodes)
        node.ask("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
    wait_for("the owners to be known", lambda: all(
        "-" in node.line_of(other).split(" ")[-1] for node in nodes for other in nodes)
             and all("cluster_state:ok" in node.connection.text("CLUSTER", "INFO")
                     for node in nodes))


class Replies:
    def __init__(self, folder):
        self.folder = folder

    def save(self, scene, connection, protocol=2, moved=True):
        """The replies to the three commands, and a redirection if this node sends one for "foo"."""
        if protocol == 3:
            connection.ask("HELLO", 3)
        commands = {name: ("CLUSTER", name.upper()) for name in ("slots", "shards", "nodes")}
        if moved:
            commands["moved"] = ("GET", "foo")
        for name, words in commands.items():
            answer = connection.ask(*words)
            assert answer.startswith(b"-MOVED ") == (name == "moved"), answer
            (self.folder / f"{scene}.{name}").write_bytes(answer)
        if protocol == 3:
            connection.ask("HELLO", 2)


def lone(program, folder, replies):
    """A node that has not been told its own address."""
    node = Node(program, folder, 1)
    deal([node])
    replies.save("lone", node.connection, moved=False)
    node.stop()


def endpoints(program, folder, replies):
    """Three masters, of which the third has no hostname, and two replicas, of which the second
    never gets its data. Then slots move, and then the second replica and the first master fail."""
    nodes = [Node(program, folder, number) for number in range(1, 6)]
    first, second, third, replica, loading = nodes
    for node in (first, second, replica, loading):
        node.ask("CONFIG", "SET", "cluster-announce-hostname", f"cache-{node.port}.example")
    meet(nodes)
    deal([first, second, third])
    loading.ask("CONFIG", "SET", "masterauth", "a password that the master does not know")
    for node, master in ((replica, first), (loading, second)):
        wait_for("the master to be known", lambda: node.line_of(master))
        node.ask("CLUSTER", "REPLICATE", master.id)
    # In slot 866. A replica that has received no byte counts as loading.
    first.ask("SET", "hello", "value")

    def is_seen():
        shards = first.ask("CLUSTER", "SHARDS").decode()
        known = all(f"cache-{node.port}.example" in shards
                    for node in (first, second, replica, loading))
        counts = [shards.count(f"\r\n{word}\r\n") for word in ("replica", "loading", "online")]
        return known and counts == [2, 1, 4]

    wait_for("one replica to be online and one to load", is_seen)
    for kind in ("ip", "hostname", "unknown-endpoint"):
        first.ask("CONFIG", "SET", "cluster-preferred-endpoint-type", kind)
        replies.save(kind, first.connection)
    first.ask("CONFIG", "SET", "cluster-preferred-endpoint-type", "hostname")
    replies.save("hostname-resp3", first.connection, protocol=3)
    first.ask("CONFIG", "SET", "cluster-preferred-endpoint-type", "unknown-endpoint")
    replies.save("unknown-endpoint-resp3", first.connection, protocol=3)

    second.ask("CLUSTER", "SETSLOT", 6000, "MIGRATING", third.id)
    second.ask("CLUSTER", "SETSLOT", 16000, "IMPORTING", third.id)
    replies.save("migrating", second.connection)
    second.ask("CLUSTER", "SETSLOT", 6000, "STABLE")
    second.ask("CLUSTER", "SETSLOT", 16000, "STABLE")

    loading.stop()
    wait_for("the replica to fail", lambda: "slave,fail " in third.line_of(loading))
    replies.save("failed-replica", third.connection, moved=False)
    first.process.send_signal(signal.SIGSTOP)  # it hangs, like a failed machine
    wait_for("the master to fail", lambda: "master,fail " in third.line_of(first))
    replies.save("failed-master", third.connection, moved=False)
    wait_for("the replica to take over", lambda: "5460" in third.line_of(replica))
    replies.save("failed-over", third.connection, moved=False)
    for node in nodes:
        if node is not loading:
            node.stop()


def replaced(program, folder, replies):
    """A master loses its disk and comes back at the same address with another id: its old entry has
    no address."""
    first, second = nodes = [Node(program, folder, number) for number in (1, 2)]
    meet(nodes)
    deal(nodes)
    second.stop()
    (second.folder / "nodes.conf").unlink()
    again = Node(program, folder, 2)
    wait_for("the address to be gone", lambda: "noaddr" in first.line_of(second))
    replies.save("replaced", first.connection, moved=False)
    first.stop()
    again.stop()


def ipv6(program, folder, replies):
    """Two nodes on ::1, of which one announces other ports than it listens on."""
    options = ["--cluster-announce-port", "6380"]
    nodes = [Node(program, folder, 1, "::1"), Node(program, folder, 2, "::1", options)]
    meet(nodes)
    deal(nodes)
    wait_for("the port to be known", lambda: ":6380@" in nodes[0].line_of(nodes[1]))
    replies.save("ipv6", nodes[0].connection)
    for node in nodes:
        node.stop()


def tls(program, folder, replies):
    """A cluster that speaks TLS, seen by a client with TLS and by one without. The third node has
    no port for the latter."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=cache"]
    words += ["-keyout", key, "-out", certificate]
    subprocess.run(words, check=True, capture_output=True)
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    common = ["--tls-cluster", "yes", "--tls-replication", "yes", "--tls-auth-clients", "no"]
    common += ["--tls-key-file", str(key), "--tls-cert-file", str(certificate)]
    common += ["--tls-ca-cert-file", str(certificate)]
    only_tls = [*common, "--port", "0", "--tls-port", "7003"]
    nodes = [
        Node(program, folder, 1, options=[*common, "--tls-port", "7101"]),
        Node(program, folder, 2, options=[*common, "--tls-port", "7102"]),
        Node(program, folder, 3, options=only_tls, tls=context),
    ]
    for node in nodes[1:]:
        port = 7102 if node is nodes[1] else 7003
        nodes[0].ask("CLUSTER", "MEET", node.host, port, node.bus)
    wait_for("the nodes to know each other", lambda: all(
        node.line_of(other) and "handshake" not in node.line_of(other)
        for node in nodes for other in nodes))
    deal(nodes)
    replies.save("tls-seen-plain", nodes[0].connection)
    replies.save("tls-seen-by-tls", Connection("127.0.0.1", 7101, context))
    for node in nodes:
        node.stop()


def main():
    program, name = sys.argv[1:]
    folder = pathlib.Path(__file__).resolve().parent / name
    folder.mkdir(exist_ok=True)
    replies = Replies(folder)
    for scene in (lone, endpoints, replaced, ipv6, tls):
        with tempfile.TemporaryDirectory() as temporary:
            print(scene.__name__, flush=True)
            try:
                scene(program, pathlib.Path(temporary), replies)
            finally:
                for process in Node.running:
                    process.kill()
                    process.wait()


if __name__ == "__main__":
    main()
