import { isIP } from 'node:net';
import { availableParallelism, hostname, networkInterfaces, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { KelpieError } from '../../../error.js';
import {
  deviceLabel,
  HARDWARE_LABEL,
  HOST_LABEL,
  hostLabel,
  type WorkerPresence,
} from '../../../jobs/campaign/index.js';
import { HostEnd, openThreadPool, rdmaDevices } from '../../../node/index.js';
import {
  Meetings,
  type Nats,
  type NatsPlace,
  NatsWorker,
  openNats,
  showPlace,
  withWays,
} from '../../../node/nats/index.js';
import { workerMetrics } from '../../campaign/metrics.js';
import { natsFlags, natsPlace } from '../../campaign/nats-flags.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag } from '../../flag-value.js';
import { WebServer } from '../../ping/web/web-server.js';
import { providers } from '../../providers.js';
import type { Terminal } from '../../terminal.js';

const LABEL = /^[a-z0-9][a-z0-9-]{0,39}$/;
const NAME = /^[\w.:-]{1,100}$/;
const GB = 2 ** 30;

/** `kelpie worker --nats URL`: takes tasks of campaigns and runs them on this machine. */
export const worker = defineCommand({
  options: [
    ...natsFlags,
    { flags: '--name <name>', description: 'name of this worker; default: its host and process' },
    {
      flags: '--cores <number>',
      description: 'one-core tasks to run at a time; default: number of processors',
    },
    { flags: '--memory <gb>', description: 'memory for tasks, in GB; default: what the machine has' },
    {
      flags: '--label <label>',
      description: 'a label of this machine, such as hardware or rack-7; may be repeated',
      repeats: true,
    },
    {
      flags: '--address <ip>',
      description: 'where workers of other machines reach this one; default: its first address',
    },
    { flags: '--idle <seconds>', description: 'exit after this long without a task; default: never' },
    { flags: '--serve <place>', description: 'serve metrics at ADDRESS:PORT' },
    { flags: '--json', description: 'print what it did as JSON' },
  ],
  examples: [
    'kelpie worker --nats nats://queue:4222',
    'kelpie worker --nats tls://queue:4222 --creds worker.creds --label hardware --label rack-7',
    'kelpie worker --nats nats://queue:4222 --cores 4 --memory 32 --serve :9100 --idle 600',
  ],
  async run({ options, terminal, signal }) {
    const place = natsPlace(options);
    if (place === null)
      throw new KelpieError('BAD_FLAG', 'a worker needs a server', {
        ...{ field: '--nats', allowed: 'nats://HOST:PORT, or --context' },
      });
    const cores = numberFlag(options, '--cores', { min: 1, max: 4096 }) ?? availableParallelism();
    const memoryGb =
      numberFlag(options, '--memory', { min: 1, max: 65_536 }) ?? Math.max(1, Math.round(totalmem() / GB));
    const idleS = numberFlag(options, '--idle', { min: 1, max: 1e9 });
    const name = matching('--name', options.name ?? `${hostname()}:${process.pid}`, NAME);
    const given = (options.label ?? []).map((label) => matching('--label', label, LABEL));
    const labels = [...new Set([...given, hostLabel(hostname()), ...deviceLabels()])];
    const address = addressOf(options.address);
    const say = (text: string) => terminal.err(`${name}: ${text}\n`);
    const drain = new AbortController();
    const onTerm = () => {
      say('takes no more tasks and stops when those running have ended');
      drain.abort();
    };
    process.once('SIGTERM', onTerm);
    const limit = idleS === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(idleS * 1000)]);
    const nats = await reach(place, name, say, AbortSignal.any([limit, drain.signal]));
    if (nats === null) {
      process.removeListener('SIGTERM', onTerm);
      print({ name, done: 0, failed: 0 }, options.json === true, terminal);
      return ExitCode.CANNOT_RUN;
    }
    const pool = openThreadPool(cores);
    const end = new HostEnd(address);
    const meetings = new Meetings(nats, end);
    let server: WebServer | null = null;
    try {
      const abilities = { providers: providers.map((each) => each.name), cores, memoryGb, labels };
      const working = await NatsWorker.open(nats, {
        ...{ name, address, ...abilities, drain: drain.signal, stop: signal, say },
        pool: withWays(pool, meetings.probe),
        ...(idleS === undefined ? {} : { idleMs: idleS * 1000 }),
      });
      if (options.serve !== undefined) {
        const metrics = () => ({
          type: 'text/plain; version=0.0.4',
          body: workerMetrics(working.presence()),
        });
        server = await WebServer.open('--serve', options.serve, { get: { '/metrics': metrics } });
        say(`${server.url}metrics is for Prometheus`);
      }
      meetings.serve(labels.filter((label) => label.startsWith(HOST_LABEL)));
      say(
        `works for ${showPlace(place)} with ${cores === 1 ? 'one thread' : `${cores} threads`} and ${memoryGb} GB`,
      );
      await working.work();
      print(working.presence(), options.json === true, terminal);
      return ExitCode.GOOD;
    } finally {
      process.removeListener('SIGTERM', onTerm);
      await server?.close();
      end.close();
      await pool.close();
      await nats.connection.close();
    }
  },
});

/** Connects as soon as there is a server; null where it is told to end before. One that refuses us is not asked again. */
async function reach(
  place: NatsPlace,
  name: string,
  say: (text: string) => void,
  ends: AbortSignal,
): Promise<Nats | null> {
  for (let tries = 0; !ends.aborted; tries++) {
    try {
      return await openNats(place, { name, onStatus: say });
    } catch (error) {
      if (!(error instanceof KelpieError) || error.code !== 'NATS_AWAY') throw error;
      if (tries === 0) say(`${error.message}; retrying`);
      await sleep(REACH_MS, undefined, { signal: ends }).catch(() => {});
    }
  }
  return null;
}

/** How often a server that is away is tried again. */
const REACH_MS = 1000;

function print(
  { name, done, failed }: Pick<WorkerPresence, 'name' | 'done' | 'failed'>,
  json: boolean,
  terminal: Terminal,
): void {
  const text = json ? JSON.stringify({ name, done, failed }) : `${done} tasks done, ${failed} tries failed`;
  terminal.out(`${text}\n`);
}

/** The address that was given, or the first of this machine that others may reach. */
function addressOf(given: string | undefined): string {
  if (given === undefined) {
    const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
  }
  if (isIP(given) !== 0) return given;
  throw new KelpieError('BAD_FLAG', 'not an address', {
    ...{ field: '--address', given, allowed: 'an IP address of this machine' },
  });
}

/** What tasks that need RNICs look for. */
function deviceLabels(): readonly string[] {
  const devices = rdmaDevices();
  return devices.length === 0 ? [] : [HARDWARE_LABEL, ...devices.map(deviceLabel)];
}

function matching(flag: string, given: string, pattern: RegExp): string {
  if (pattern.test(given)) return given;
  throw new KelpieError('BAD_FLAG', 'this flag does not take that value', {
    ...{ field: flag, given, allowed: 'letters, digits and hyphens' },
  });
}
