import type { Random } from '../../engine/random.js';
import { AethView, emitAeth, parseAeth } from '../ib/aeth.js';
import { AtomicAckEthView, emitAtomicAckEth, parseAtomicAckEth } from '../ib/atomic-ack-eth.js';
import { AtomicEthView, emitAtomicEth, parseAtomicEth } from '../ib/atomic-eth.js';
import { BTH_BYTES, BthView, emitBth, parseBth } from '../ib/bth.js';
import { CnpView, emitCnp, parseCnp } from '../ib/cnp.js';
import { DethView, emitDeth, parseDeth } from '../ib/deth.js';
import { emitGrh, emitReceivedGrh, GrhView, parseGrh, parseReceivedGrh } from '../ib/grh.js';
import { computeIcrc, ICRC_BYTES, writeIcrc } from '../ib/icrc.js';
import { emitIeth, IethView, parseIeth } from '../ib/ieth.js';
import { emitImmediate, ImmediateView, parseImmediate } from '../ib/immediate.js';
import { emitReth, parseReth, RethView } from '../ib/reth.js';
import { EthernetView, emitEthernet, parseEthernet } from '../ip/ethernet.js';
import { emitIpv4, IPV4_BYTES, type Ipv4, Ipv4View, parseIpv4 } from '../ip/ipv4.js';
import { emitIpv6, IPV6_BYTES, type Ipv6, Ipv6View, parseIpv6 } from '../ip/ipv6.js';
import { emitUdp, parseUdp, UDP_BYTES, UdpView } from '../ip/udp.js';
import { emitDatagramBody, parseRoceDatagram, type ReceivedDatagram } from '../packet/datagram.js';
import { emitRocePacket, parsePacketView, type RocePacket } from '../packet/packet.js';
import { RocePacketView } from '../packet/packet-view.js';
import { CONTROL_TARGETS } from './fuzz-control-targets.js';
import * as samples from './fuzz-samples.js';
import { type FuzzTarget, headerTarget } from './fuzz-target.js';

/** Bytes behind the header that its length field counts. */
function payloadOf(meaning: { payloadBytes: number }): number {
  return meaning.payloadBytes;
}

const packetView = new RocePacketView();
const ipv4View = new Ipv4View();

/** Mends the IPv4 checksum, drops the UDP checksum and recomputes the ICRC of an IP packet, as far as they are there. */
function repairIp(bytes: Uint8Array, offset: number, end: number): void {
  const ipBytes = bytes[offset] >>> 4 === 4 ? IPV4_BYTES : IPV6_BYTES;
  const bthOffset = offset + ipBytes + UDP_BYTES;
  if (bthOffset + BTH_BYTES + ICRC_BYTES > end) return;
  if (ipv4View.wrap(bytes, offset, end) === null) ipv4View.seal();
  bytes[bthOffset - 2] = 0;
  bytes[bthOffset - 1] = 0;
  writeIcrc(bytes, end - ICRC_BYTES, computeIcrc(bytes, offset, end - ICRC_BYTES));
}

function repairFrame(bytes: Uint8Array, offset: number, end: number): void {
  if (end - offset < 18) return;
  repairIp(bytes, offset + (bytes[offset + 12] === 0x81 && bytes[offset + 13] === 0 ? 18 : 14), end);
}

function packetTarget(name: string, framed: boolean, ignoreIcrc: boolean): FuzzTarget<RocePacket> {
  return {
    name,
    sample: (random, bytes, offset) => emitRocePacket(samples.samplePacket(random, framed), bytes, offset),
    decode(bytes, offset, end) {
      const refused = framed
        ? packetView.wrapFrame(bytes, offset, end)
        : packetView.wrapIp(bytes, offset, end);
      return (
        refused ?? (ignoreIcrc ? null : packetView.verifyIcrc()) ?? parsePacketView(packetView, bytes, framed)
      );
    },
    emit: emitRocePacket,
    repair: framed ? repairFrame : repairIp,
  };
}

const datagramTarget: FuzzTarget<ReceivedDatagram> = {
  name: 'datagram',
  sample: (random, bytes, offset) =>
    emitDatagram({ ...samples.sampleDatagram(random), icrc: random.nextUint32() }, bytes, offset),
  decode: parseRoceDatagram,
  emit: emitDatagram,
};

function emitDatagram(datagram: ReceivedDatagram, bytes: Uint8Array, offset: number): number {
  const icrcOffset = emitDatagramBody(datagram, bytes, offset);
  writeIcrc(bytes, icrcOffset, datagram.icrc);
  return icrcOffset + ICRC_BYTES - offset;
}

const receivedGrhTarget: FuzzTarget<Ipv4 | Ipv6> = {
  name: 'received-grh',
  sample: (random: Random, bytes, offset) =>
    emitReceivedGrh(
      random.nextInt(2) === 0 ? samples.sampleIpv4(random) : samples.sampleIpv6(random),
      bytes,
      offset,
    ),
  decode: parseReceivedGrh,
  emit: emitReceivedGrh,
};

/** Every decoder of the wire. Add a row for a new one. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  headerTarget('ethernet', new EthernetView(), parseEthernet, emitEthernet, samples.sampleEthernet),
  headerTarget('ipv4', new Ipv4View(), parseIpv4, emitIpv4, samples.sampleIpv4, payloadOf),
  headerTarget('ipv6', new Ipv6View(), parseIpv6, emitIpv6, samples.sampleIpv6, payloadOf),
  headerTarget('udp', new UdpView(), parseUdp, emitUdp, samples.sampleUdp, payloadOf),
  headerTarget('bth', new BthView(), parseBth, emitBth, samples.sampleBth),
  headerTarget('deth', new DethView(), parseDeth, emitDeth, samples.sampleDeth),
  headerTarget('reth', new RethView(), parseReth, emitReth, samples.sampleReth),
  headerTarget('aeth', new AethView(), parseAeth, emitAeth, samples.sampleAeth),
  headerTarget('atomicEth', new AtomicEthView(), parseAtomicEth, emitAtomicEth, samples.sampleAtomicEth),
  headerTarget(
    'atomicAckEth',
    new AtomicAckEthView(),
    parseAtomicAckEth,
    emitAtomicAckEth,
    samples.sampleAtomicAckEth,
  ),
  headerTarget('immediate', new ImmediateView(), parseImmediate, emitImmediate, samples.sampleImmediate),
  headerTarget('ieth', new IethView(), parseIeth, emitIeth, samples.sampleIeth),
  headerTarget('cnp', new CnpView(), parseCnp, emitCnp, samples.sampleCnp),
  headerTarget('grh', new GrhView(), parseGrh, emitGrh, samples.sampleGrh),
  receivedGrhTarget,
  datagramTarget,
  packetTarget('frame', true, false),
  packetTarget('frame-any-icrc', true, true),
  packetTarget('ip-packet', false, false),
  ...CONTROL_TARGETS,
];
