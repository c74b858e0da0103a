import { type Diagnosis, diagnose, type SocketDiagnosis } from '../../providers/software/index.js';
import { defineCommand } from '../command.js';
import { ExitCode } from '../exit-code.js';

/** `kelpie doctor`: what this machine offers to a software device. */
export const doctor = defineCommand({
  options: [{ flags: '--json', description: 'print the diagnosis' }],
  examples: ['kelpie doctor', 'kelpie doctor --json', 'KELPIE_LINK=dgram kelpie doctor'],
  async run({ options, terminal }) {
    const diagnosis = await diagnose();
    terminal.out(options.json === true ? `${JSON.stringify(diagnosis, null, 2)}\n` : describe(diagnosis));
    return diagnosis.findings.length === 0 ? ExitCode.GOOD : ExitCode.FOUND;
  },
});

function describe(diagnosis: Diagnosis): string {
  const { node, system, nativeReason, wakes, crc, sockets, addresses, port, findings } = diagnosis;
  const lines = [
    pair('machine', `Node ${node} on ${system}`),
    pair(
      'C library',
      nativeReason ?? `loads (koffi), ${wakes ? 'arrivals wake' : 'no arrivals wake'} the event loop`,
    ),
    pair('CRC-32', crc === 'libdeflate' ? crc : `${crc} (libdeflate would be several times as fast)`),
    ...sockets.flatMap(describeSocket),
    ...addresses.map(({ address, interface: name, free, reason }) =>
      pair(
        `port ${port}`,
        `${free ? 'free' : 'not free'} on ${address} (${name})${free ? '' : `: ${reason}`}`,
      ),
    ),
    '',
    ...(findings.length === 0
      ? ['all that a software device can use is here']
      : findings.map((finding) => `missing: ${finding}`)),
  ];
  return `${lines.join('\n')}\n`;
}

function describeSocket(socket: SocketDiagnosis): string[] {
  const name = `IPv${socket.version}`;
  if (!socket.works) return [pair(name, `does not work: ${socket.reason}`)];
  return [
    pair(`${name} socket`, socket.link === 'udp' ? 'through the C library' : 'node:dgram alone'),
    pair(`${name} ICRC`, `checked: ${socket.icrcChecked}; sent: ${socket.icrcSent ? 'exact' : 'not exact'}`),
    pair(`${name} ECN`, socket.ecn ? 'seen and set' : 'not seen'),
    pair(
      `${name} offload`,
      `${socket.segmentation ? 'UDP_SEGMENT' : 'no UDP_SEGMENT'}, ${socket.coalescing ? 'UDP_GRO' : 'no UDP_GRO'}`,
    ),
    ...(socket.version === 6
      ? [pair(`${name} checksum 0`, socket.zeroChecksum ? 'received' : 'not received')]
      : []),
    pair(`${name} buffer`, `${socket.receiveBufferBytes} bytes`),
  ];
}

function pair(name: string, value: string): string {
  return `${name.padEnd(18)} ${value}`;
}
