import { randomInt } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { KelpieError } from '../../../error.js';
import { SOFTWARE_LIMITS, SoftwareProvider } from '../../../providers/software/index.js';
import { noSuch } from '../../../schema/index.js';
import {
  askFiPingPong,
  type PingPongResult,
  runPingPong,
  runSrqPingPong,
  serveFiPingPong,
} from '../../../services/index.js';
import type { Mtu, QpType } from '../../../verbs/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag } from '../../flag-value.js';
import { meetOverTcp } from '../../perftest/peer.js';
import { acceptTcp, connectTcp } from '../../perftest/tcp-channel.js';

const TRANSPORTS: Readonly<Record<string, QpType | undefined>> = { rc: 'RC', uc: 'UC', ud: 'UD' };
/** On RC, several queue pairs with one queue of receives. */
const SRQ = 'srq';
/** ibv_xsrq_pingpong: its queue pairs are of a kind that no device here has. */
const XSRQ = 'xsrq';
/** libfabric's fi_pingpong over connected endpoints of its verbs provider. */
const FI = 'fi';
const FI_PORT = '47592';
const DEFAULT_PORT = '18515';
const MTUS = ['256', '512', '1024', '2048', '4096'];

/** `kelpie pingpong rc|uc|ud|srq|fi`: the other side of rdma-core's ping-pong programs and of libfabric's. */
export const pingPong = defineCommand({
  options: [
    { flags: '-p, --port <number>', description: `TCP port of the exchange; default: 18515, fi ${FI_PORT}` },
    { flags: '-s, --size <bytes>', description: 'message size', default: '4096' },
    { flags: '-n, --iters <number>', description: 'exchanges', default: '1000' },
    { flags: '-q, --num-qp <number>', description: 'queue pairs (srq)', default: '16' },
    { flags: '-r, --rx-depth <number>', description: 'receives posted at a time', default: '500' },
    { flags: '-m, --mtu <bytes>', description: 'path MTU', default: '1024', choices: MTUS },
    { flags: '-g, --gid-idx <number>', description: 'row of the GID table', default: '0' },
    { flags: '--bind <address>', description: 'address of the device; default: that of the exchange' },
    { flags: '--json', description: 'print the result as JSON' },
  ],
  examples: [
    'kelpie pingpong rc',
    'kelpie pingpong ud 192.0.2.1 -s 1000',
    'kelpie pingpong fi --bind 192.0.2.2     # serves a stock fi_pingpong -p verbs -e msg 192.0.2.2',
  ],
  async run({ options, arguments: [name, server], terminal, signal }) {
    const transport = TRANSPORTS[name];
    if (name === XSRQ)
      throw new KelpieError('BAD_ARGUMENT', 'XRC is not supported, neither here nor in rdma_rxe', {
        ...{ field: 'transport', given: name, allowed: [...Object.keys(TRANSPORTS), SRQ, FI].join(', ') },
      });
    if (transport === undefined && name !== SRQ && name !== FI)
      throw noSuch('BAD_ARGUMENT', 'transport', name, [...Object.keys(TRANSPORTS), SRQ, FI], {
        field: 'transport',
      });
    const ports = { port: options.port ?? (name === FI ? FI_PORT : DEFAULT_PORT) };
    const port = numberFlag(ports, '--port', { min: 1, max: 65535 });
    const qps = numberFlag(options, '--num-qp', { min: 1, max: 255 });
    const given = {
      sizeBytes: numberFlag(options, '--size', { min: 1, max: 2 ** 30 }),
      iterations: numberFlag(options, '--iters', { min: 1, max: 1e9 }),
      rxDepth: numberFlag(options, '--rx-depth', { min: 1, max: SOFTWARE_LIMITS.maxQpWr }),
      mtu: Number(options.mtu) as Mtu,
      gidIndex: numberFlag(options, '--gid-idx', { min: 0, max: 255 }),
      randomPsn: () => randomInt(2 ** 24),
    };
    const onListening = () => terminal.err(`waiting for a client at TCP port ${port}\n`);
    const { channel, context } = await meetOverTcp(new SoftwareProvider(), options.bind, () =>
      server === undefined
        ? acceptTcp(port, signal, { onListening, speaksFirst: name === FI })
        : connectTcp(server, port, signal, (line) => terminal.err(line)),
    );
    try {
      const role = server === undefined ? 'server' : 'client';
      let result: PingPongResult;
      if (name === FI) {
        const manager = context.createConnectionManager();
        const { sizeBytes, iterations } = given;
        if (server === undefined) {
          const messages = await serveFiPingPong(context, manager, channel, context.deviceName, { signal });
          terminal.out(
            options.json === true ? `${JSON.stringify({ messages })}\n` : `${messages} messages\n`,
          );
          return ExitCode.GOOD;
        }
        const target = { address: (await lookup(server, 4)).address, sizes: [sizeBytes], iterations };
        [result] = await askFiPingPong(context, manager, channel, target, signal);
      } else if (transport === undefined)
        result = await runSrqPingPong(context, channel, { ...given, role, qps }, signal);
      else result = await runPingPong(context, channel, { ...given, role, transport }, signal);
      if (options.json === true) terminal.out(`${JSON.stringify(result)}\n`);
      else {
        const seconds = result.elapsedNs / 1e9;
        const mbits = ((result.bytes * 8) / 1e6 / seconds).toFixed(2);
        terminal.out(`${result.bytes} bytes in ${seconds.toFixed(2)} seconds = ${mbits} Mbit/sec\n`);
        const each = (result.elapsedNs / 1e3 / result.iterations).toFixed(2);
        terminal.out(`${result.iterations} iters in ${seconds.toFixed(2)} seconds = ${each} usec/iter\n`);
      }
      return ExitCode.GOOD;
    } finally {
      await channel.close();
      await context.close();
    }
  },
});
