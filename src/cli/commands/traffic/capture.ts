import { closeSync, openSync, writeSync } from 'node:fs';
import { KelpieError } from '../../../error.js';
import { PacketRecorder } from '../../../link/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag, seedFlag } from '../../flag-value.js';
import { chooseProvider, providerFlags, providers } from '../../providers.js';
import { formatMeasurement } from '../../run/report.js';
import { runOnProvider } from '../../run/run-on-provider.js';
import { openWorkload } from '../../run/workload-file.js';

/** `kelpie capture FILE`: runs a workload and writes its packets as pcapng. */
export const capture = defineCommand({
  options: [
    { flags: '-o, --output <file>', description: 'where to write', default: 'kelpie.pcapng' },
    { flags: '-c, --count <packets>', description: 'write at most this many packets', default: '100000' },
    ...providerFlags,
    { flags: '--json', description: 'print the number of packets and the Measurement' },
  ],
  examples: [
    'kelpie capture workload.yaml -o run.pcapng',
    'kelpie capture workload.yaml --provider software -c 1000',
  ],
  async run(invocation) {
    const { options, terminal } = invocation;
    const [file] = invocation.arguments;
    const seed = seedFlag(options);
    const { entry } = chooseProvider(options);
    if (!entry.hasPackets)
      throw new KelpieError('BAD_FLAG', 'this provider has no packets', {
        field: '--provider',
        given: entry.name,
        allowed: providers.flatMap(({ name, hasPackets }) => (hasPackets ? [name] : [])).join(', '),
      });
    const count = numberFlag(options, '--count', { min: 1, max: 1e9 });
    const { workload, inFile } = openWorkload(file);
    const output = options.output;
    const descriptor = openOutput(output);
    const failed = new AbortController();
    try {
      // Packets are recorded in the middle of what a device does: a full disk ends the run, but not there.
      const recorder = new PacketRecorder(
        entry.name,
        (bytes) => {
          if (failed.signal.aborted) return;
          try {
            writeAll(descriptor, bytes);
          } catch (cause) {
            failed.abort(cause);
          }
        },
        count,
      );
      const signal = AbortSignal.any([invocation.signal, failed.signal]);
      const measurement = await inFile(() =>
        runOnProvider(workload, seed, { ...invocation, signal }, { capture: recorder }),
      );
      if (failed.signal.aborted) throw unwritten(output, failed.signal.reason);
      const { packets } = recorder;
      if (options.json === true) terminal.out(`${JSON.stringify({ output, packets, measurement })}\n`);
      else terminal.out(`${formatMeasurement(measurement)}${packets} packets in ${output}\n`);
      return ExitCode.GOOD;
    } finally {
      closeSync(descriptor);
    }
  },
});

function openOutput(file: string): number {
  try {
    return openSync(file, 'w');
  } catch (cause) {
    throw unwritten(file, cause);
  }
}

function unwritten(file: string, cause: unknown): KelpieError {
  return new KelpieError('CANNOT_RUN', `the capture cannot be written: ${(cause as Error).message}`, {
    field: '--output',
    given: file,
    allowed: 'a file in an existing folder, on a disk with free space',
    cause,
  });
}

/** Writes all of it: a disk that is almost full takes a part. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
