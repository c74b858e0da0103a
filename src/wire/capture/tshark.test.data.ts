import {
  type Aeth,
  emitPause,
  emitPfc,
  emitRocePacket,
  formatIpv4Address,
  formatIpv6Address,
  formatMac,
  OPCODE,
  OPCODES,
  type OpcodeInfo,
  type OpcodeName,
  opcodeInfo,
  PAUSE_BYTES,
  PFC_BYTES,
  padPrivateData,
  parseIpv6Address,
  type RocePacket,
  roceDatagramBytes,
  rocePacketBytes,
} from '../index.js';

/** A value as the meaning has it: numbers compare as numbers, bytes as hexadecimal, text as it is. */
export type Expected = number | bigint | boolean | Uint8Array | string;
/** Expected values by tshark's names of fields. */
export type Fields = Record<string, Expected>;

/** A frame and what tshark must show of it. */
export interface Case {
  name: string;
  bytes: Uint8Array;
  fields: Fields;
}

/** An IPv4 header without a zero field. */
export const IPV4: RocePacket['ip'] = {
  version: 4,
  source: 0x0a00_0001,
  destination: 0xc0a8_fe02,
  dscp: 26,
  ecn: 2,
  identification: 0x1234,
  dontFragment: true,
  timeToLive: 63,
};
/** An IPv6 header without a zero field. */
export const IPV6: RocePacket['ip'] = {
  version: 6,
  source: parseIpv6Address('fd00::1'),
  destination: parseIpv6Address('2001:db8::a:2'),
  dscp: 10,
  ecn: 3,
  flowLabel: 0xabcde,
  hopLimit: 61,
};

const AETHS: Aeth[] = [
  { kind: 'ack', creditCode: 31, msn: 0x123456 },
  { kind: 'rnr-nak', timerCode: 14, msn: 1 },
  { kind: 'nak', code: 2, msn: 0xffffff },
];

/** A packet of an opcode with all the headers that it asks for. */
export function packetOf(info: OpcodeInfo, ip: RocePacket['ip'], aeth: Aeth = AETHS[0]): RocePacket {
  const asks = (name: OpcodeInfo['headers'][number]) => info.headers.includes(name);
  const isCnp = info.transport === 'CNP';
  return {
    link: { destination: 0x0200_0000_0002, source: 0x0200_0000_0001, tag: null },
    ip,
    udp: { sourcePort: 0xc123, checksummed: ip.version === 6 },
    bth: {
      opcode: info.opcode,
      solicitedEvent: !isCnp,
      migrationRequest: !isCnp,
      partitionKey: 0xfffe,
      fecn: false,
      becn: isCnp,
      destinationQp: 0x123456,
      ackRequest: !isCnp,
      psn: isCnp ? 0 : 0xabcdef,
    },
    ...(asks('deth') && { deth: { queueKey: 0x1122_3344, sourceQp: 0x556677 } }),
    ...(asks('reth') && {
      reth: { virtualAddress: 0xffff_8881_3456_789an, remoteKey: 0x8765_4321, dmaBytes: 4097 },
    }),
    ...(asks('atomicEth') && {
      atomicEth: {
        virtualAddress: 0xffff_8881_3456_7898n,
        remoteKey: 0x1234_5678,
        swapOrAdd: 0xfedc_ba98_7654_3210n,
        compare: 0x0123_4567_89ab_cdefn,
      },
    }),
    ...(asks('aeth') && { aeth }),
    ...(asks('atomicAckEth') && { atomicAckEth: { original: 0x1122_3344_5566_7788n } }),
    ...(asks('immediate') && { immediate: { value: 0xdead_beef } }),
    ...(asks('ieth') && { ieth: { remoteKey: 0xcafe_f00d } }),
    payload: info.hasPayload ? Uint8Array.of(1, 2, 3, 4, 5) : new Uint8Array(0),
  };
}

function linkAndIpFields({ link, ip, udp, ...datagram }: RocePacket): Fields {
  const udpBytes = 8 + roceDatagramBytes(datagram);
  const fields: Fields = {
    'eth.dst': formatMac(link?.destination ?? 0),
    'eth.src': formatMac(link?.source ?? 0),
    'udp.srcport': udp.sourcePort,
    'udp.dstport': 4791,
    'udp.length': udpBytes,
    'udp.checksum.status': udp.checksummed ? 1 : 3, // good, not present
  };
  if (link?.tag) {
    fields['vlan.priority'] = link.tag.priority;
    fields['vlan.dei'] = link.tag.dropEligible;
    fields['vlan.id'] = link.tag.vlan;
  }
  if (ip.version === 4) {
    return {
      ...fields,
      'ip.src': formatIpv4Address(ip.source),
      'ip.dst': formatIpv4Address(ip.destination),
      'ip.dsfield.dscp': ip.dscp,
      'ip.dsfield.ecn': ip.ecn,
      'ip.id': ip.identification,
      'ip.flags.df': ip.dontFragment,
      'ip.ttl': ip.timeToLive,
      'ip.proto': 17,
      'ip.len': 20 + udpBytes,
      'ip.checksum.status': 1,
    };
  }
  return {
    ...fields,
    'ipv6.src': formatIpv6Address(ip.source),
    'ipv6.dst': formatIpv6Address(ip.destination),
    'ipv6.tclass.dscp': ip.dscp,
    'ipv6.tclass.ecn': ip.ecn,
    'ipv6.flow': ip.flowLabel,
    'ipv6.hlim': ip.hopLimit,
    'ipv6.nxt': 17,
    'ipv6.plen': udpBytes,
  };
}

function aethFields(aeth: Aeth): Fields {
  const value: Record<Aeth['kind'], Fields> = {
    ack: { credit_count: aeth.kind === 'ack' ? aeth.creditCode : 0 },
    'rnr-nak': { timer: aeth.kind === 'rnr-nak' ? aeth.timerCode : 0 },
    nak: { error_code: aeth.kind === 'nak' ? aeth.code : 0 },
  };
  const opcode = { ack: 0, 'rnr-nak': 1, nak: 3 }[aeth.kind];
  const [[name, low]] = Object.entries(value[aeth.kind]);
  return {
    'infiniband.aeth.syndrome': (opcode << 5) | Number(low),
    'infiniband.aeth.syndrome.reserved': 0,
    'infiniband.aeth.syndrome.opcode': opcode,
    [`infiniband.aeth.syndrome.${name}`]: low,
    'infiniband.aeth.msn': aeth.msn,
  };
}

function datagramFields(packet: RocePacket, icrc: Uint8Array): Fields {
  const { bth, deth, reth, atomicEth, aeth, atomicAckEth, immediate, ieth, payload } = packet;
  const target = reth ?? atomicEth;
  return {
    'infiniband.bth.opcode': bth.opcode,
    'infiniband.bth.se': bth.solicitedEvent,
    'infiniband.bth.m': bth.migrationRequest,
    'infiniband.bth.padcnt': -payload.length & 3,
    'infiniband.bth.tver': 0,
    'infiniband.bth.p_key': bth.partitionKey,
    // The byte of FECN and BECN, which tshark 4.0 shows as reserved.
    'infiniband.reserved': Uint8Array.of((bth.fecn ? 0x80 : 0) | (bth.becn ? 0x40 : 0)),
    'infiniband.bth.destqp': bth.destinationQp,
    'infiniband.bth.a': bth.ackRequest,
    'infiniband.bth.reserved7': 0,
    'infiniband.bth.psn': bth.psn,
    ...(deth && { 'infiniband.deth.q_key': deth.queueKey, 'infiniband.deth.srcqp': deth.sourceQp }),
    ...(target && {
      'infiniband.reth.va': target.virtualAddress,
      'infiniband.reth.r_key': target.remoteKey,
    }),
    ...(reth && { 'infiniband.reth.dmalen': reth.dmaBytes }),
    ...(atomicEth && {
      'infiniband.atomiceth.swapdt': atomicEth.swapOrAdd,
      'infiniband.atomiceth.cmpdt': atomicEth.compare,
    }),
    ...(aeth && aethFields(aeth)),
    ...(atomicAckEth && { 'infiniband.atomicacketh.origremdt': atomicAckEth.original }),
    ...(immediate && { 'infiniband.immdt': hex32(immediate.value) }),
    ...(ieth && { 'infiniband.ieth': hex32(ieth.remoteKey) }),
    // tshark 4.0 does not know the opcode of a CNP and takes its ICRC for payload.
    ...(bth.opcode === 0x81
      ? { 'infiniband.vendor': Uint8Array.of(...new Uint8Array(16), ...icrc) }
      : { 'infiniband.invariant.crc': `0x${hex(icrc, '')}` }),
  };
}

/** A packet with the fields that follow from its meaning, and further ones for its payload. */
export function packetCase(name: string, packet: RocePacket, further: Fields = {}): Case {
  const bytes = new Uint8Array(rocePacketBytes(packet));
  emitRocePacket(packet, bytes, 0);
  const icrc = bytes.slice(-4);
  const payload = padPrivateData((packet.payload.length + 3) & ~3, packet.payload);
  const shownAsData = payload.length > 0 && packet.deth?.queueKey !== 0x8001_0000;
  return {
    name,
    bytes,
    fields: {
      ...linkAndIpFields(packet),
      ...datagramFields(packet, icrc),
      ...(shownAsData && { 'data.data': payload }),
      ...further,
    },
  };
}

function pauseCases(): Case[] {
  const source = 0x0200_0000_0009;
  const eth: Fields = { 'eth.dst': '01:80:c2:00:00:01', 'eth.src': formatMac(source), 'eth.type': 0x8808 };
  const quanta = [0, 1, 2, 0xffff, 4, 5, 0x1234, 7];
  const pfc = new Uint8Array(PFC_BYTES);
  emitPfc({ source, classEnable: 0x4a, quanta }, pfc, 0);
  const pause = new Uint8Array(PAUSE_BYTES);
  emitPause({ source, quanta: 0xabcd }, pause, 0);
  const classes: Fields = {};
  quanta.forEach((value, priority) => {
    classes[`macc.cbfc.enbv.c${priority}`] = ((0x4a >>> priority) & 1) === 1;
    classes[`macc.cbfc.pause_time.c${priority}`] = value;
  });
  return [
    {
      name: 'PFC',
      bytes: pfc,
      fields: { ...eth, 'macc.opcode': 0x0101, 'macc.cbfc.enbv': 0x4a, ...classes },
    },
    { name: 'pause', bytes: pause, fields: { ...eth, 'macc.opcode': 1, 'macc.pause_time': 0xabcd } },
  ];
}

/** What the named opcode says. */
export function opcodeNamed(name: OpcodeName): OpcodeInfo {
  return opcodeInfo(OPCODE[name]) as OpcodeInfo;
}

/** Every RoCEv2 packet and pause frame: every opcode over both IP versions, every kind of AETH, tags and ECN bits. */
export function roceCases(): Case[] {
  const cases: Case[] = [];
  for (const ip of [IPV4, IPV6]) {
    for (const info of OPCODES)
      cases.push(packetCase(`${info.name} over IPv${ip.version}`, packetOf(info, ip)));
  }
  const acknowledge = opcodeNamed('RC_ACKNOWLEDGE');
  for (const aeth of AETHS.slice(1))
    cases.push(packetCase(`an AETH of ${aeth.kind}`, packetOf(acknowledge, IPV4, aeth)));
  const tagged = packetOf(acknowledge, IPV4);
  const tag = { priority: 3, dropEligible: true, vlan: 0x123 };
  const link = { destination: 0x0200_0000_0002, source: 0x0200_0000_0001, tag };
  cases.push(packetCase('a frame with a VLAN tag', { ...tagged, link }));
  cases.push(packetCase('FECN', { ...tagged, bth: { ...tagged.bth, fecn: true } }));
  return [...cases, ...pauseCases()];
}

/** Bytes as tshark writes them. */
export function hex(bytes: Uint8Array, separator = ':'): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(separator);
}

/** A 32-bit number as tshark writes four bytes. */
export function hex32(value: number): string {
  return hex(Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value));
}
