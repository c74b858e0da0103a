#!/usr/bin/python3
"""Runs one shell command for each TCP connection to port 2222.

A request is one line; the reply is the merged output, then a line `__RC=<status>`. When the caller hangs up before the
command is over, the command and its children are killed, so that a case that gives up leaves nothing running.
"""
import os
import select
import signal
import socket
import subprocess
import threading


def serve(connection):
    command = connection.makefile("rb").readline().decode()
    process = subprocess.Popen(
        ["/bin/bash", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    output = process.stdout.fileno()
    try:
        while True:
            ready, _, _ = select.select([output, connection], [], [])
            if connection in ready and not connection.recv(4096):
                raise OSError("the caller hung up")
            if output in ready:
                chunk = os.read(output, 65536)
                if not chunk:
                    break
                connection.sendall(chunk)
        connection.sendall(b"\n__RC=%d\n" % process.wait())
    except OSError:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    connection.close()


listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("0.0.0.0", 2222))
listener.listen(64)
print("KELPIE-CONTROL", flush=True)
while True:
    accepted, _ = listener.accept()
    threading.Thread(target=serve, args=(accepted,), daemon=True).start()
