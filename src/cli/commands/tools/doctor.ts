import { writeFileSync } from 'node:fs';
import { KelpieError } from '../../../error.js';
import { checkHost } from '../../../node/index.js';
import {
  type MachineSupport,
  examineMachine,
  type SocketDiagnosis,
} from '../../../providers/software/index.js';
import { defineCommand } from '../../command.js';
import { formatHostCheck } from '../../doctor/host-report.js';
import { ExitCode } from '../../exit-code.js';

/** `kelpie doctor`: what this machine offers to a software device, or with `--host` what it is made of. */
export const doctor = defineCommand({
  options: [
    {
      flags: '--host',
      description:
        'describe this machine (from lspci, nvidia-smi, lstopo, /sys) as a profile for kelpie ping',
    },
    {
      flags: '--import <files...>',
      description:
        'with --host: output of these programs from another machine, copies of /sys, or folders with them',
    },
    { flags: '--name <name>', description: 'with --host: the name of the profile', default: 'imported' },
    { flags: '--out <file>', description: 'with --host: write the profile to this file' },
    { flags: '--save <folder>', description: 'with --host: keep the output of the programs in this folder' },
    { flags: '--json', description: 'print the diagnosis' },
  ],
  examples: [
    'kelpie doctor',
    'kelpie doctor --json',
    'KELPIE_LINK=dgram kelpie doctor',
    'kelpie doctor --host --out my-server.yaml --save facts',
    'kelpie doctor --host --import facts --name gpu-17 --out gpu-17.yaml',
  ],
  async run({ options, terminal }) {
    if (options.host === true || options.import !== undefined) {
      const check = await checkHost({
        name: nameOf(options.name),
        onSkipped: (source, why) => terminal.err(`skipped: ${source}: ${why}\n`),
        ...(options.import === undefined ? {} : { imported: options.import }),
        ...(options.save === undefined ? {} : { save: options.save }),
      });
      if (options.out !== undefined) writeFileSync(options.out, check.profile);
      terminal.out(
        options.json === true ? `${JSON.stringify(check, null, 2)}\n` : formatHostCheck(check, options.out),
      );
      const { observations } = check.description;
      return observations.length + check.conflicts.length === 0 ? ExitCode.GOOD : ExitCode.FOUND;
    }
    const diagnosis = await examineMachine();
    terminal.out(options.json === true ? `${JSON.stringify(diagnosis, null, 2)}\n` : describe(diagnosis));
    return diagnosis.findings.length === 0 ? ExitCode.GOOD : ExitCode.FOUND;
  },
});

function nameOf(given: string): string {
  if (/^[a-z][a-z0-9-]{0,63}$/.test(given)) return given;
  throw new KelpieError('BAD_FLAG', 'not a valid profile name', {
    field: '--name',
    given,
    allowed: 'lower-case letters, digits and hyphens, a letter first, at most 64',
  });
}

function describe(diagnosis: MachineSupport): string {
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
      ? ['everything that a software device can use is here']
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
