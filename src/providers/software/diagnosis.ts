import { networkInterfaces, release } from 'node:os';
import type { DatagramBatch, IcrcStrictness, Link } from '../../link/index.js';
import { ROCE_PORT } from '../../wire/index.js';
import { loadLibc } from './link/libc.js';
import { completeLinkOptions } from './link/link-options.js';
import { openUdpLink } from './link/open-link.js';
import { UdpLink } from './link/udp-link.js';
import { loopbackAddress } from './loopback-address.js';
import { fastestCrc } from './packets/crc.js';

/** What sockets of one IP version do on this machine, found by sending datagrams to itself. */
export interface SocketDiagnosis {
  version: 4 | 6;
  /** What opened it: `udp` through the C library, or `dgram`. */
  link: string;
  /** The socket carries datagrams. */
  works: boolean;
  /** Why not. */
  reason?: string;
  /** IPv4 packets leave with identification 0, so that other RoCEv2 devices accept their ICRC. */
  icrcSent: boolean;
  /** How much of the ICRC of what arrives is checked. */
  icrcChecked: IcrcStrictness;
  /** IPv6: datagrams with UDP checksum 0 are received, as Linux sends them. */
  zeroChecksum: boolean;
  /** An ECN mark that was sent was seen on arrival. */
  ecn: boolean;
  /** A run of datagrams left with one call and arrived whole (UDP_SEGMENT), and as one (UDP_GRO). */
  segmentation: boolean;
  coalescing: boolean;
  receiveBufferBytes: number;
}

/** Whether a device could be opened on an address. */
export interface AddressDiagnosis {
  address: string;
  interface: string;
  free: boolean;
  reason?: string;
}

/** What this machine offers to a software device. */
export interface MachineSupport {
  node: string;
  system: string;
  /** The foreign functions; null where they load. */
  nativeReason: string | null;
  /** What computes ICRCs. */
  crc: string;
  /** Whether arrivals wake the event loop; without, it looks every millisecond. */
  wakes: boolean;
  sockets: SocketDiagnosis[];
  port: number;
  addresses: AddressDiagnosis[];
  /** What is missing, a sentence each; what no UDP socket can do is not among them. */
  findings: string[];
}

const RUN = 4;
const DATAGRAM_BYTES = 64;
const MARK = 0x03;
const WAIT_MS = 200;

/** Tries out what this machine offers. It opens sockets on loopback addresses, briefly, and changes nothing. */
export async function examineMachine(): Promise<MachineSupport> {
  const libc = await loadLibc();
  const native = typeof libc !== 'string';
  const sockets = [
    await trySocket(4, loopbackAddress(240), ROCE_PORT),
    // There is one IPv6 loopback address, and somebody may have port 4791 there.
    await trySocket(6, '::1', 20000 + (process.pid % 20000)),
  ];
  const diagnosis: MachineSupport = {
    node: process.version,
    system: `${process.platform} ${release()} ${process.arch}`,
    nativeReason: native ? null : libc,
    crc: (await fastestCrc()).name,
    wakes: native && libc.loop !== null,
    sockets,
    port: ROCE_PORT,
    addresses: await tryAddresses(),
    findings: [],
  };
  diagnosis.findings = findingsOf(diagnosis);
  return diagnosis;
}

async function trySocket(version: 4 | 6, address: string, port: number): Promise<SocketDiagnosis> {
  const nothing: SocketDiagnosis = {
    version,
    link: '',
    works: false,
    icrcSent: false,
    icrcChecked: 'none',
    zeroChecksum: false,
    ecn: false,
    segmentation: false,
    coalescing: false,
    receiveBufferBytes: 0,
  };
  let link: Link;
  try {
    link = await openUdpLink({ address, port, spinUs: 0 });
  } catch (error) {
    return { ...nothing, reason: error instanceof Error ? error.message : String(error) };
  }
  const heard = await hearItself(link);
  const { icrc, icrcSent, batching, receiveBufferBytes = 0 } = link.abilities;
  const socket = link instanceof UdpLink ? link.socket : null;
  await link.close();
  return {
    version,
    link: link.name.split(' ')[0],
    works: heard.datagrams === RUN,
    ...(heard.datagrams === RUN ? {} : { reason: `${heard.datagrams} of ${RUN} datagrams arrived` }),
    icrcSent: version === 4 ? icrcSent.ipv4 : icrcSent.ipv6,
    icrcChecked: version === 4 ? icrc.ipv4 : icrc.ipv6,
    zeroChecksum: socket?.zeroChecksum ?? version === 4,
    ecn: heard.marked,
    segmentation: batching === 'segmentation' && heard.sendCalls === 1,
    coalescing: heard.receivedRun,
    receiveBufferBytes,
  };
}

interface Heard {
  datagrams: number;
  marked: boolean;
  sendCalls: number;
  receivedRun: boolean;
}

/** Sends a run of marked datagrams to the link's own address and says what came of them. */
async function hearItself(link: Link): Promise<Heard> {
  const heard: Heard = { datagrams: 0, marked: false, sendCalls: 0, receivedRun: false };
  const done = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, WAIT_MS);
    link.start({
      received(batch: DatagramBatch) {
        heard.datagrams += batch.count;
        heard.marked = (batch.trafficClass[0] & MARK) === MARK;
        // Datagrams that arrived as one lie back to back; each of its own has a place of its own.
        heard.receivedRun ||= batch.count > 1 && batch.offset[1] === batch.end[0];
        if (heard.datagrams < RUN) return;
        clearTimeout(timer);
        resolve();
      },
      writable() {},
      failed() {
        resolve();
      },
    });
  });
  const batch = link.createBatch(RUN, RUN * DATAGRAM_BYTES);
  const words = new Uint32Array(link.gids[0].slice().buffer);
  for (let index = 0; index < RUN; index++) {
    batch.trafficClass[batch.commit(batch.open(DATAGRAM_BYTES) + DATAGRAM_BYTES, words, 0)] = MARK;
  }
  link.send(batch, 0);
  await done;
  heard.sendCalls = link.counters()['link_tx_calls'] ?? RUN;
  return heard;
}

/** Opens and closes the port on every address of the machine. */
async function tryAddresses(): Promise<AddressDiagnosis[]> {
  const found: AddressDiagnosis[] = [];
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    for (const { address, family, scopeid } of addresses ?? []) {
      const text = family === 'IPv6' && scopeid ? `${address}%${name}` : address;
      try {
        const link = await openUdpLink(completeLinkOptions({ address: text, receiveBufferBytes: 4096 }));
        await link.close();
        found.push({ address: text, interface: name, free: true });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        found.push({ address: text, interface: name, free: false, reason });
      }
    }
  }
  return found;
}

const ASKED_BUFFER_BYTES = 4 << 20;

function findingsOf({ nativeReason, wakes, sockets, addresses }: MachineSupport): string[] {
  const findings: string[] = [];
  if (nativeReason !== null) findings.push(`no sockets with options: ${nativeReason}`);
  else if (!wakes) findings.push('the event loop cannot be told of arrivals: latency of a millisecond');
  for (const socket of sockets) {
    const name = `IPv${socket.version}`;
    if (!socket.works) {
      findings.push(`${name}: no datagrams: ${socket.reason}`);
      continue;
    }
    if (!socket.icrcSent) findings.push(`${name}: other RoCEv2 devices will drop what is sent (ICRC)`);
    if (!socket.zeroChecksum) findings.push(`${name}: what Linux sends (UDP checksum 0) is not received`);
    if (!socket.ecn) findings.push(`${name}: ECN is not seen, so DCQCN has nothing to react to`);
    if (!socket.segmentation || !socket.coalescing)
      findings.push(`${name}: no UDP segmentation offload: a fraction of the throughput`);
    if (socket.receiveBufferBytes < ASKED_BUFFER_BYTES)
      findings.push(
        `${name}: a socket holds ${socket.receiveBufferBytes} bytes; net.core.rmem_max allows no more of ${ASKED_BUFFER_BYTES}`,
      );
  }
  for (const { address, free, reason } of addresses) {
    if (!free) findings.push(`${address}: ${reason}`);
  }
  return findings;
}
