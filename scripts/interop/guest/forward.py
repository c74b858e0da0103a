# Carries TCP connections to an address and port of the guest's own on to another: what a name stands for in TCP is then
# not what it stands for in RDMA-CM, whose frames go another way. The far port is read from a file for each connection.
#
#   forward.py LOCAL_ADDRESS LOCAL_PORT FAR_ADDRESS PORT_FILE
import socket
import sys
import threading

_, local_address, local_port, far_address, port_file = sys.argv


def copy(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    finally:
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


listener = socket.create_server((local_address, int(local_port)), family=socket.AF_INET6)
while True:
    near, _ = listener.accept()
    far = socket.create_connection((far_address, int(open(port_file).read())))
    for pair in ((near, far), (far, near)):
        threading.Thread(target=copy, args=pair, daemon=True).start()
