import {
  type Case,
  type Expected,
  type Fields,
  hex,
  hex32,
  IPV4,
  IPV6,
  opcodeNamed,
  packetCase,
  packetOf,
} from '../capture/tshark.test.data.js';
import {
  CM_ATTRIBUTE_ID,
  type CmMessage,
  type CmPath,
  emitCm,
  emitRdmaCmHeader,
  formatIpv4Address,
  formatIpv6Address,
  gidToIpv4,
  MAD_BYTES,
  padPrivateData,
  parseGid,
  parseIpv6Address,
  RDMA_CM_HEADER_BYTES,
  type RdmaCmHeader,
  REQ_PRIVATE_DATA_BYTES,
  type RocePacket,
} from '../index.js';
import { exampleMessages, exampleReq } from '../testing/cm-samples.js';

const CM_PREFIX: Record<CmMessage['kind'], string> = {
  req: 'infiniband.cm.req',
  mra: 'infiniband.cm.mra',
  rej: 'infiniband.cm.rej',
  rep: 'infiniband.cm.rep',
  rtu: 'infiniband.cm.rtu',
  dreq: 'infiniband.cm.dreq',
  drep: 'infiniband.cm.drsp',
};

function prefixed(prefix: string, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${prefix}${name}`, value]));
}

function pathFields(which: 'prim' | 'alt', path: CmPath): Fields {
  // tshark shows a primary GID as the address that it maps, by the version of the IP header around it.
  const ipv4 = gidToIpv4(path.localGid) !== null && which === 'prim';
  const gid = (bytes: Uint8Array): Expected => {
    if (which === 'alt') return bytes;
    return ipv4 ? formatIpv4Address(gidToIpv4(bytes) ?? 0) : formatIpv6Address(bytes);
  };
  return prefixed(`infiniband.cm.req.${which}_`, {
    locallid: path.localLid,
    remotelid: path.remoteLid,
    [ipv4 ? 'localgid_ipv4' : 'localgid']: gid(path.localGid),
    [ipv4 ? 'remotegid_ipv4' : 'remotegid']: gid(path.remoteGid),
    // tshark 4.0 reads three bytes with the mask for four, and so loses the low byte of the label.
    flowlabel: path.flowLabel >>> 8,
    tfcclass: path.trafficClass,
    hoplim: path.hopLimit,
    sl: path.serviceLevel,
    subnetlocal: path.subnetLocal,
    reserved1: 0,
    localacktout: path.localAckTimeout,
    ...(which === 'prim' && { reserved2: 0 }),
  });
}

function cmFields(message: CmMessage): Fields {
  const ids: Fields = { '.localcommid': message.localCommunicationId };
  if (message.kind !== 'req') ids['.remotecommid'] = message.remoteCommunicationId;
  const prefix = CM_PREFIX[message.kind];
  switch (message.kind) {
    case 'req':
      return {
        'infiniband.cm.req': message.localCommunicationId,
        ...prefixed('infiniband.cm.req.', {
          serviceid: message.serviceId,
          localcaguid: message.localCaGuid,
          localqkey: message.localQueueKey,
          localqpn: message.localQpn,
          responderres: message.responderResources,
          localeecn: message.localEecn,
          initdepth: message.initiatorDepth,
          remoteeecn: message.remoteEecn,
          remoteresptout: message.remoteCmResponseTimeout,
          transpsvctype: message.transportServiceType,
          e2eflowctrl: message.endToEndFlowControl,
          startpsn: message.startingPsn,
          localresptout: message.localCmResponseTimeout,
          retrcount: message.retryCount,
          pkey: message.partitionKey,
          pppmtu: message.pathMtuCode,
          rdcexist: message.rdcExists,
          rnrretrcount: message.rnrRetryCount,
          maxcmretr: message.maxCmRetries,
          srq: message.srq,
          ext_transport: message.extendedTransportType,
        }),
        ...pathFields('prim', message.primaryPath),
        ...(message.alternatePath && pathFields('alt', message.alternatePath)),
      };
    case 'rep':
      return {
        'infiniband.cm.rep': message.localCommunicationId,
        ...prefixed('infiniband.cm.rep.', {
          remotecommid: message.remoteCommunicationId,
          localqkey: message.localQueueKey,
          localqpn: message.localQpn,
          localeecn: message.localEecn,
          startpsn: message.startingPsn,
          respres: message.responderResources,
          initdepth: message.initiatorDepth,
          tgtackdelay: message.targetAckDelay,
          failoveracc: message.failoverAccepted,
          e2eflowctrl: message.endToEndFlowControl,
          rnrretrcount: message.rnrRetryCount,
          srq: message.srq,
          reserved: 0,
          localcaguid: message.localCaGuid,
          private: message.privateData,
        }),
      };
    case 'rej':
      return prefixed(prefix, {
        ...ids,
        '.msgrej': message.messageRejected,
        '.reserved0': 0,
        '.rejinfolen': message.additionalInformation.length,
        '.reserved1': 0,
        '.reason': message.reason,
        '.ari': padPrivateData(72, message.additionalInformation),
        '.private': message.privateData,
      });
    case 'dreq':
      return {
        ...prefixed(prefix, { ...ids, '.private': message.privateData }),
        'infiniband.cm.req.remoteqpneecn': message.remoteQpnOrEecn,
      };
    case 'rtu':
    case 'drep':
      return prefixed(prefix, { ...ids, '.private': message.privateData });
    case 'mra': {
      // tshark 4.0 names the message and shows its body as bytes: the layout of IBTA table 107 by hand.
      const ids32 = [message.localCommunicationId, message.remoteCommunicationId].map(hex32).join(':');
      const codes = Uint8Array.of(message.messageMraed << 6, message.serviceTimeout << 3);
      return { 'infiniband.mad.data': `${ids32}:${hex(codes)}:${hex(message.privateData)}` };
    }
  }
}

function cmCase(name: string, message: CmMessage, further: Fields = {}, ip: RocePacket['ip'] = IPV4): Case {
  const payload = new Uint8Array(MAD_BYTES);
  emitCm(message, payload, 0);
  const plain = packetOf(opcodeNamed('UD_SEND_ONLY'), ip);
  const bth = { ...plain.bth, destinationQp: 1, ackRequest: false };
  return packetCase(
    name,
    { ...plain, bth, deth: { queueKey: 0x8001_0000, sourceQp: 1 }, payload },
    {
      ...prefixed('infiniband.mad.', {
        baseversion: 1,
        mgmtclass: 7,
        classversion: 2,
        method: 3,
        status: 0,
        classspecific: 0,
        transactionid: message.transactionId,
        attributeid: CM_ATTRIBUTE_ID[message.kind],
        attributemodifier: 0,
      }),
      ...cmFields(message),
      ...further,
    },
  );
}

function rdmaCmCase(header: RdmaCmHeader): Case {
  const privateData = new Uint8Array(REQ_PRIVATE_DATA_BYTES).fill(0x5a);
  emitRdmaCmHeader(header, privateData, 0);
  const addresses: Fields =
    header.ipVersion === 4
      ? { sip4: formatIpv4Address(header.sourceAddress), dip4: formatIpv4Address(header.destinationAddress) }
      : { sip6: formatIpv6Address(header.sourceAddress), dip6: formatIpv6Address(header.destinationAddress) };
  return cmCase(
    `CM req of RDMA-CM over IPv${header.ipVersion}`,
    { ...exampleReq(), privateData },
    {
      'infiniband.cm.req.serviceid.dport': 7174,
      ...prefixed('infiniband.cm.req.ip_cm.', {
        majv: 0,
        minv: 0,
        ipv: header.ipVersion,
        reserved: 0,
        sport: header.sourcePort,
        ...addresses,
        private: privateData.subarray(RDMA_CM_HEADER_BYTES),
      }),
    },
  );
}

/** Every message of communication management, and REQs of RDMA-CM over both IP versions. */
export function cmCases(): Case[] {
  const cases: Case[] = [];
  for (const message of exampleMessages()) {
    if (message.kind === 'req') {
      // A service outside of the IP port spaces, whose private data is the consumer's alone.
      const serviceId = 0x1000_0000_0000_0001n;
      const fields = { 'infiniband.cm.req.private': message.privateData };
      cases.push(cmCase('CM req', { ...message, serviceId }, fields));
    } else cases.push(cmCase(`CM ${message.kind}`, message));
  }
  const primaryPath = {
    ...exampleReq().primaryPath,
    localGid: parseGid('fd00::1'),
    remoteGid: parseGid('fd00::2'),
  };
  const overIpv6 = { ...exampleReq(), serviceId: 1n, primaryPath };
  const privateData = { 'infiniband.cm.req.private': overIpv6.privateData };
  cases.push(
    cmCase('CM req between IPv6 ports', overIpv6, privateData, IPV6),
    rdmaCmCase({
      ipVersion: 4,
      sourcePort: 0xd123,
      sourceAddress: 0x0a00_0001,
      destinationAddress: 0x0a00_0002,
    }),
    rdmaCmCase({
      ipVersion: 6,
      sourcePort: 0xd124,
      sourceAddress: parseIpv6Address('fd00::1'),
      destinationAddress: parseIpv6Address('fd00::2'),
    }),
  );
  return cases;
}
