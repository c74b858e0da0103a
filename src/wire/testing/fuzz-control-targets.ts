import type { Random } from '../../engine/random.js';
import { emitPcapng } from '../capture/pcapng.js';
import { type PcapngCapture, readPcapng } from '../capture/pcapng-reader.js';
import { type CmMessage, emitCm, emitMad, MadView, parseCm, parseMad } from '../cm/index.js';
import {
  emitRdmaCmHeader,
  parseRdmaCmHeader,
  type RdmaCmHeader,
  RdmaCmHeaderView,
} from '../cm/rdma-cm-private-data.js';
import {
  emitSrnicSend,
  emitSrnicWrite,
  parseSrnicSend,
  parseSrnicWrite,
  SrnicSendView,
  SrnicWriteView,
} from '../ib/srnic.js';
import { ArpView, emitArp, parseArp } from '../ip/arp.js';
import { emitNeighbour, NeighbourView, parseNeighbour } from '../ip/neighbour.js';
import { emitPause, emitPfc, PauseView, PfcView, parsePause, parsePfc } from '../ip/pfc.js';
import { exampleMessages } from './cm-samples.js';
import { bits, randomBytes, wide, word64 } from './fuzz-samples.js';
import { type FuzzTarget, headerTarget } from './fuzz-target.js';

const MESSAGES = exampleMessages();

const cmTarget: FuzzTarget<CmMessage> = {
  name: 'cm',
  sample: (random, bytes, offset) =>
    emitCm({ ...random.pick(MESSAGES), transactionId: word64(random) }, bytes, offset),
  decode: parseCm,
  emit: emitCm,
};

/** A capture loses its byte order and its unknown blocks when it is read, so there is no way back to write. */
const pcapngTarget: FuzzTarget<PcapngCapture> = {
  name: 'pcapng',
  sample(random, bytes, offset) {
    const capture = emitPcapng(
      [{ name: 'eth0', comment: 'port 1', snapBytes: 96 }, {}],
      Array.from({ length: random.nextInt(4) }, () => samplePcapngPacket(random)),
      { application: 'kelpie' },
    );
    bytes.set(capture, offset);
    return capture.length;
  },
  decode(bytes, offset, end) {
    const capture = readPcapng(bytes.subarray(offset, end));
    return capture.refusal ?? capture;
  },
};

function samplePcapngPacket(random: Random) {
  return {
    interfaceId: random.nextInt(2),
    timeNs: word64(random),
    bytes: randomBytes(random, random.nextInt(60)),
    comment: random.nextInt(2) === 0 ? undefined : 'seen',
  };
}

function sampleRdmaCm(random: Random): RdmaCmHeader {
  const sourcePort = bits(random, 16);
  if (random.nextInt(2) === 0) {
    const [sourceAddress, destinationAddress] = [random.nextUint32(), random.nextUint32()];
    return { ipVersion: 4, sourcePort, sourceAddress, destinationAddress };
  }
  const [sourceAddress, destinationAddress] = [randomBytes(random, 16), randomBytes(random, 16)];
  return { ipVersion: 6, sourcePort, sourceAddress, destinationAddress };
}

function sampleSrnicSend(random: Random) {
  return { msn: bits(random, 24), ssn: bits(random, 16), psnOffset: bits(random, 24) };
}

/** The rows of connection management, address resolution, flow control, SRNIC's headers and captures. */
export const CONTROL_TARGETS: readonly FuzzTarget[] = [
  cmTarget,
  headerTarget('mad', new MadView(), parseMad, emitMad, (random) => ({
    managementClass: bits(random, 8),
    classVersion: bits(random, 8),
    method: bits(random, 8),
    status: bits(random, 16),
    classSpecific: bits(random, 16),
    transactionId: word64(random),
    attributeId: bits(random, 16),
    attributeModifier: random.nextUint32(),
  })),
  headerTarget('rdma-cm', new RdmaCmHeaderView(), parseRdmaCmHeader, emitRdmaCmHeader, sampleRdmaCm),
  headerTarget('arp', new ArpView(), parseArp, emitArp, (random) => ({
    operation: random.nextInt(2) === 0 ? ('request' as const) : ('reply' as const),
    senderMac: wide(random, 48),
    senderAddress: random.nextUint32(),
    targetMac: wide(random, 48),
    targetAddress: random.nextUint32(),
  })),
  headerTarget('neighbour', new NeighbourView(), parseNeighbour, emitNeighbour, (random) => ({
    kind: random.nextInt(2) === 0 ? ('solicitation' as const) : ('advertisement' as const),
    source: randomBytes(random, 16),
    destination: randomBytes(random, 16),
    target: randomBytes(random, 16),
    mac: random.nextInt(2) === 0 ? null : wide(random, 48),
  })),
  headerTarget('pfc', new PfcView(), parsePfc, emitPfc, (random) => ({
    source: wide(random, 48),
    classEnable: bits(random, 8),
    quanta: Array.from({ length: 8 }, () => bits(random, 16)),
  })),
  headerTarget('pause', new PauseView(), parsePause, emitPause, (random) => ({
    source: wide(random, 48),
    quanta: bits(random, 16),
  })),
  headerTarget('srnic-send', new SrnicSendView(), parseSrnicSend, emitSrnicSend, sampleSrnicSend),
  headerTarget('srnic-write', new SrnicWriteView(), parseSrnicWrite, emitSrnicWrite, (random) => ({
    ...sampleSrnicSend(random),
    virtualAddress: word64(random),
    remoteKey: random.nextUint32(),
  })),
  pcapngTarget,
];
