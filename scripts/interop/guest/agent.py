#!/usr/bin/python3
"""The verbs of soft-RoCE, driven from outside: one JSON command a line on TCP port 2223, one JSON answer a line.

An "end" is a queue pair with a completion queue and a memory region of its own. Everything stays until `destroy`, or
until the caller hangs up.
"""
import hashlib
import json
import socket
import sys
import time
import traceback

import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBindInfo
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

TYPES = {"RC": e.IBV_QPT_RC, "UC": e.IBV_QPT_UC, "UD": e.IBV_QPT_UD}
MTUS = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
QKEY = 0x11111111
GRH_BYTES = 40
STATUS = {value: name[len("IBV_WC_"):] for name, value in vars(e).items() if name.startswith("IBV_WC_") and name.endswith(("SUCCESS", "_ERR"))}
OPCODES = {
    "SEND": e.IBV_WR_SEND,
    "SEND_WITH_IMM": e.IBV_WR_SEND_WITH_IMM,
    "SEND_WITH_INV": e.IBV_WR_SEND_WITH_INV,
    "RDMA_WRITE": e.IBV_WR_RDMA_WRITE,
    "RDMA_WRITE_WITH_IMM": e.IBV_WR_RDMA_WRITE_WITH_IMM,
    "RDMA_READ": e.IBV_WR_RDMA_READ,
    "ATOMIC_CMP_AND_SWP": e.IBV_WR_ATOMIC_CMP_AND_SWP,
    "ATOMIC_FETCH_AND_ADD": e.IBV_WR_ATOMIC_FETCH_AND_ADD,
}
REMOTE = e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC

context = Context(name="rxe0")
domain = PD(context)


def pattern(seed, length):
    """The same bytes as the suite's own `pattern`: a linear congruential generator, one byte a step."""
    out = bytearray(length)
    state = seed & 0xFFFFFFFF
    for at in range(length):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        out[at] = state >> 24
    return bytes(out)


class End:
    def __init__(self, command):
        self.type = command["type"]
        self.gid_index = command["gid"]
        depth = command.get("depth", 128)
        self.cq = CQ(context, 2 * depth + 8)
        access = e.IBV_ACCESS_LOCAL_WRITE | command.get("access", REMOTE | e.IBV_ACCESS_MW_BIND)
        self.mr = MR(domain, command["bytes"], access)
        cap = QPCap(max_send_wr=depth, max_recv_wr=depth, max_send_sge=2, max_recv_sge=2)
        self.qp = QP(domain, QPInitAttr(qp_type=TYPES[self.type], scq=self.cq, rcq=self.cq, cap=cap))
        attr = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
        attr.pkey_index = 0
        mask = e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT
        if self.type == "UD":
            attr.qkey = QKEY
            mask |= e.IBV_QP_QKEY
        else:
            attr.qp_access_flags = command.get("qp_access", REMOTE) & (e.IBV_ACCESS_REMOTE_WRITE if self.type == "UC" else REMOTE)
            mask |= e.IBV_QP_ACCESS_FLAGS
        self.qp.modify(attr, mask)
        self.ah = None
        self.mw = None

    def describe(self):
        gid = str(context.query_gid(1, self.gid_index))
        return {"qpn": self.qp.qp_num, "addr": self.mr.buf, "rkey": self.mr.rkey, "gid": gid}

    def connect(self, command):
        route = GlobalRoute(dgid=GID(command["peer_gid"]), sgid_index=self.gid_index, hop_limit=64)
        address = AHAttr(gr=route, is_global=1, port_num=1)
        attr = QPAttr(qp_state=e.IBV_QPS_RTR)
        mask = e.IBV_QP_STATE
        if self.type == "UD":
            self.ah = AH(domain, attr=address)
        else:
            attr.ah_attr = address
            attr.path_mtu = MTUS[command["mtu"]]
            attr.dest_qp_num = command["peer_qpn"]
            attr.rq_psn = command["peer_psn"]
            mask |= e.IBV_QP_AV | e.IBV_QP_PATH_MTU | e.IBV_QP_DEST_QPN | e.IBV_QP_RQ_PSN
        if self.type == "RC":
            attr.max_dest_rd_atomic = command.get("rd_atomic", 16)
            attr.min_rnr_timer = command.get("min_rnr_timer", 12)
            mask |= e.IBV_QP_MAX_DEST_RD_ATOMIC | e.IBV_QP_MIN_RNR_TIMER
        self.qp.modify(attr, mask)
        attr = QPAttr(qp_state=e.IBV_QPS_RTS)
        attr.sq_psn = command["psn"]
        mask = e.IBV_QP_STATE | e.IBV_QP_SQ_PSN
        if self.type == "RC":
            attr.timeout = command.get("timeout", 14)
            attr.retry_cnt = command.get("retry", 7)
            attr.rnr_retry = command.get("rnr_retry", 7)
            attr.max_rd_atomic = command.get("rd_atomic", 16)
            mask |= e.IBV_QP_TIMEOUT | e.IBV_QP_RETRY_CNT | e.IBV_QP_RNR_RETRY | e.IBV_QP_MAX_QP_RD_ATOMIC
        self.qp.modify(attr, mask)
        return {}

    def receive(self, command):
        length = command["length"] + (GRH_BYTES if self.type == "UD" else 0)
        for index in range(command.get("count", 1)):
            offset = command.get("offset", 0) + index * command.get("stride", 0)
            sge = SGE(self.mr.buf + offset, length, self.mr.lkey)
            self.qp.post_recv(RecvWR(wr_id=command.get("wr_id", 0) + index, num_sge=1, sg=[sge]))
        return {}

    def send(self, command):
        for index in range(command.get("count", 1)):
            offset = command.get("offset", 0) + index * command.get("stride", 0)
            sge = SGE(self.mr.buf + offset, command["length"], self.mr.lkey)
            flags = e.IBV_SEND_SIGNALED
            imm = command.get("imm", 0)
            opcode = command["opcode"]
            wr = SendWR(
                wr_id=command.get("wr_id", 0) + index,
                opcode=OPCODES[opcode],
                num_sge=1,
                imm_data=command["invalidate"] if opcode == "SEND_WITH_INV" else socket.htonl(imm),
                send_flags=flags,
                sg=[sge],
            )
            remote = command.get("remote", 0) + index * command.get("stride", 0)
            if opcode.startswith("RDMA"):
                wr.set_wr_rdma(command["rkey"], remote)
            elif opcode.startswith("ATOMIC"):
                wr.set_wr_atomic(command["rkey"], remote, int(command["compare_add"]), int(command.get("swap", 0)))
            if self.type == "UD":
                wr.set_wr_ud(self.ah, command["peer_qpn"], QKEY)
            self.qp.post_send(wr)
        return {}

    def bind(self, command):
        self.mw = MW(domain, e.IBV_MW_TYPE_2)
        info = MWBindInfo(self.mr, self.mr.buf + command.get("offset", 0), command["length"], REMOTE)
        wr = SendWR(wr_id=command.get("wr_id", 0), opcode=e.IBV_WR_BIND_MW, num_sge=0, send_flags=e.IBV_SEND_SIGNALED)
        wr.set_bind_wr(self.mw, info)
        self.qp.post_send(wr)
        return {"rkey": wr.rkey}

    def poll(self, command):
        deadline = time.monotonic() + command.get("timeout", 10)
        found = []
        while len(found) < command["count"]:
            count, completions = self.cq.poll(command["count"] - len(found))
            for wc in completions[:count]:
                found.append(
                    {
                        "wr_id": wc.wr_id,
                        "status": STATUS.get(wc.status, str(wc.status)),
                        "bytes": wc.byte_len,
                        "imm": socket.ntohl(wc.imm_data & 0xFFFFFFFF) if wc.wc_flags & e.IBV_WC_WITH_IMM else None,
                        "flags": wc.wc_flags,
                        "data": wc.imm_data & 0xFFFFFFFF,
                        "grh": bool(wc.wc_flags & e.IBV_WC_GRH),
                        "src_qp": wc.src_qp,
                    }
                )
            if count == 0:
                if time.monotonic() > deadline:
                    break
                time.sleep(0.0005)
        return {"completions": found}

    def fill(self, command):
        length = command["length"]
        data = pattern(command["seed"], length) if "seed" in command else bytes([command.get("value", 0)]) * length
        self.mr.write(data, length, command.get("offset", 0))
        return {}

    def read(self, command):
        data = self.mr.read(command["length"], command.get("offset", 0))
        return {"sha256": hashlib.sha256(data).hexdigest(), "hex": data[:64].hex()}

    def destroy(self):
        for thing in (self.mw, self.ah, self.qp, self.cq, self.mr):
            if thing is not None:
                thing.close()


def serve(connection):
    ends = {}
    number = 0
    lines = connection.makefile("rw", encoding="utf-8", newline="\n")
    for line in lines:
        command = json.loads(line)
        try:
            name = command["op"]
            if name == "ends":
                answer = {"ends": []}
                for _ in range(command.get("count", 1)):
                    number += 1
                    ends[number] = End(command)
                    answer["ends"].append({"id": number, **ends[number].describe()})
            elif name == "destroy":
                for each in command["ids"]:
                    ends.pop(each).destroy()
                answer = {}
            elif name == "many":
                answer = {"answers": [getattr(ends[each["id"]], each["op"])(each) for each in command["commands"]]}
            else:
                answer = getattr(ends[command["id"]], name)(command)
        except Exception as error:  # whatever pyverbs says is the suite's to judge
            answer = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
        lines.write(json.dumps(answer) + "\n")
        lines.flush()
    for end in ends.values():
        end.destroy()
    connection.close()


listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("0.0.0.0", 2223))
listener.listen(8)
print("KELPIE-AGENT", flush=True)
while True:
    accepted, _ = listener.accept()
    try:
        serve(accepted)
    except OSError:
        traceback.print_exc(file=sys.stdout)
