// A server of the software device under attack, beside an honest peer whose throughput and connections are measured:
// processes on loopback addresses of their own. Parts of a second follow each other: no attack, the attack aimed at a
// decoy (a second server that does the same work), the attack aimed at the victim. The bar is on what is left of the first;
// the second tells what of the loss is the attacker's own use of a machine that it shares here, and not elsewhere. Writes
// the figures into docs/security.md unless --no-write; exits with 1 where a bar is missed.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loopbackAddress } from '../src/providers/software/loopback-address.js';
import { type AttackFigures, type AttackKind, type AttackOrder, serveAttacker } from './attack/attacker.js';
import { Child } from './attack/child.js';
import { Honest, type HonestFigures } from './attack/honest.js';
import { lengthOf, type Part } from './attack/schedule.js';
import {
  type AttackRow,
  attackTable,
  BARS,
  fullRateTable,
  limitsTable,
  missedBars,
  seedsTable,
} from './attack/table.js';
import { serveVictim, type VictimOrder, type VictimState } from './attack/victim.js';

const SPOOFED = 120;
const FORGED = 200;
const MOST_PACKETS = 1_000_000;

/** Packets per second of an attack unless set. The first of them ended or blocked a server that had no limits. */
const RATE = 10_000;
/** REQ, RTU, READ and DREQ, 200 times: as many connections as one address may ask for (`requestsPerSecondPerPeer`). */
const KEYS_RATE = 800;
/** As many as the attacker can make. */
const FULL_RATE = 1_000_000;

const USAGE = `usage: npm run attack -- [--only KIND|KIND] [--seed N] [--seconds N] [--rate PACKETS|full] [--json] [--no-write]
  Attacks a server on the loopback beside an honest peer and checks what docs/security.md promises.
  --rate: packets per second; default ${RATE}, for keys ${KEYS_RATE}. full: all that the attacker can send; shares have no bar.
  Exit status: 0 all bars hold, 1 one is missed, 2 usage.
`;

const WARM_UP_MS = 500;
/** Parts are made up to this much longer. */
const LONGEST_STRETCH = 8;
/** The attacker opens its sockets meanwhile. */
const BEGIN_MS = 300;

const ATTACKS: readonly { kind: AttackKind; what: string; rate?: number; outside?: boolean }[] = [
  { kind: 'flood', what: 'requests without end, from an address that answers' },
  { kind: 'half-open', what: 'requests that are never finished, from 4 addresses, asking for 39 hours' },
  { kind: 'spoofed', what: `requests in the name of ${SPOOFED} addresses that never answer` },
  { kind: 'own name', what: "requests in the honest peer's name" },
  { kind: 'DREQ', what: 'DREQs in every state, of connections made and not made' },
  {
    kind: 'connections',
    what: 'memory: connections by the book from 4 addresses, as many as can be had, never ended',
  },
  { kind: 'keys', what: 'connections that try old and drawn keys', rate: KEYS_RATE },
  { kind: 'READ', what: 'READs of 64 KB from addresses without a connection' },
  { kind: 'CNP', what: "congestion notifications in the honest peer's name, queue pairs guessed" },
  {
    kind: 'CNP, known QPN',
    what: "the same, by somebody who sees the honest peer's packets",
    outside: true,
  },
  { kind: 'noise', what: 'bytes without meaning, with and without a good ICRC' },
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '4' },
      rate: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
    },
  });
  const chosen = ATTACKS.filter(({ kind }) => values.only?.split('|').includes(kind) ?? true);
  const full = values.rate === 'full';
  const given = full ? FULL_RATE : values.rate === undefined ? null : Number(values.rate);
  const numbers = [Number(values.seed), Number(values.seconds), given ?? RATE];
  if (values.help || chosen.length === 0 || numbers.some((each) => !(each > 0))) {
    process.stderr.write(`${USAGE}  Kinds: ${ATTACKS.map(({ kind }) => kind).join(', ')}\n`);
    process.exit(values.help ? 0 : 2);
  }
  const program = fileURLToPath(import.meta.url);
  const seconds = Math.min(60, Math.max(0.1, Number(values.seconds)));
  const order: AttackOrder = {
    ...{ kind: 'noise', seed: Number(values.seed), decoy: loopbackAddress(9), honestQpn: 0 },
    ...{ victim: loopbackAddress(0), honest: loopbackAddress(1) },
    own: Array.from({ length: 5 }, (_, index) => loopbackAddress(10 + index)),
    forged: Array.from({ length: FORGED }, (_, index) => loopbackAddress(30 + index)),
    schedule: { beginMs: 0, partMs: Math.min(seconds, 1) * 1000, rounds: Math.max(1, Math.floor(seconds)) },
    packetsPerSecond: RATE,
    mostPackets: MOST_PACKETS,
  };
  const [loadBefore] = loadavg();
  const victim = new Child<VictimOrder>(program, 'victim');
  const decoy = new Child<VictimOrder>(program, 'victim');
  const attacker = new Child<AttackOrder>(program, 'attacker');
  const rows: AttackRow[] = [];
  try {
    await victim.ask({ kind: 'open', address: order.victim });
    await decoy.ask({ kind: 'open', address: order.decoy });
    let newcomers = 0;
    const honest = await Honest.open(order.honest, order.victim, () => newcomerAddress(newcomers++));
    // Whatever is compiled and allocated once is so before anything is measured.
    await honest.work({ beginMs: Date.now(), partMs: WARM_UP_MS, rounds: 1 });
    const first = await victim.ask<VictimState>({ kind: 'state' });
    for (const { kind, what, rate = RATE, outside = false } of chosen) {
      const packetsPerSecond = Math.min(FULL_RATE, Math.max(100, given ?? rate));
      process.stderr.write(`${kind}: ${what}\n`);
      // Longer parts where a process had no turn in one, as on a machine that is busy with much else.
      for (let stretch = 1; ; stretch *= 2) {
        const before = await victim.ask<VictimState>({ kind: 'state' });
        const { beginMs: _, ...parts } = order.schedule;
        const schedule = { ...parts, partMs: stretch * parts.partMs, beginMs: Date.now() + BEGIN_MS };
        const [figures, attack, usedMs] = await Promise.all([
          honest.work(schedule),
          attacker.ask<AttackFigures>({
            ...{ ...order, kind, schedule, packetsPerSecond, honestQpn: honest.remoteQpNum },
          }),
          victim.ask<Record<Part, number>>({ kind: 'watch', schedule }),
        ]);
        if (!tells(attack, figures) && stretch < LONGEST_STRETCH) continue;
        const after = await victim.ask<VictimState>({ kind: 'state' });
        const row = {
          ...{ kind, what, attack, honest: figures, hasBar: !outside && !full },
          packetsPerSecond: full ? null : packetsPerSecond,
          attackSeconds: lengthOf(schedule, 'attack') / 1000,
          share: figures.gbps / figures.quietGbps,
          shareOfDecoy: figures.gbps / figures.decoyGbps,
          shareOfProcessor:
            (figures.gbps * lengthOf(schedule, 'attack')) /
            usedMs.attack /
            ((figures.quietGbps * lengthOf(schedule, 'quiet')) / usedMs.quiet),
          heard: after.heard - before.heard - figures.connections - figures.refused,
          rssMegabytes: after.rssBytes / 1e6,
          grownMegabytes: (after.rssBytes - first.rssBytes) / 1e6,
        };
        rows.push({ ...row, failures: missedBars(row) });
        break;
      }
    }
  } catch (error) {
    console.error(String(error));
    process.exitCode = 1;
  } finally {
    await Promise.all([victim.quit(), decoy.quit(), attacker.quit()]);
  }
  report(rows, full, order, loadBefore, values.json, !values['no-write'] && values.only === undefined);
  process.exit(process.exitCode ?? 0);
}

/** Whether there was an attack and somebody to feel it; what went wrong tells something in any case. */
function tells(attack: AttackFigures, honest: HonestFigures): boolean {
  const { rounds, connections, corrupt, failed, refused } = honest;
  return (
    attack.packets > 0 && ((rounds > 0 && connections > 0) || corrupt + failed + refused + attack.hits > 0)
  );
}

function report(
  rows: readonly AttackRow[],
  full: boolean,
  order: AttackOrder,
  loadBefore: number,
  json: boolean,
  write: boolean,
): void {
  if (rows.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
  const { seed, schedule } = order;
  const seconds = lengthOf(schedule, 'attack') / 1000;
  if (json)
    console.log(JSON.stringify({ benchmark: 'attack', seed, seconds, full, bars: BARS, rows }, null, 2));
  else console.log(attackTable(rows));
  if (!write || rows.length < ATTACKS.length) return;
  const file = new URL('../../docs/security.md', import.meta.url);
  const machine = `${cpus().length} processors (${cpus()[0].model.trim()}), Node ${process.versions.node}`;
  const load = `load ${loadBefore.toFixed(1)} before the run`;
  const run = `Seed ${seed}, ${seconds} s of each attack, ${machine}, ${load}.`;
  let text = readFileSync(file, 'utf8');
  if (full) text = between(text, 'full rate', `${run}\n\n${fullRateTable(rows)}`);
  else {
    text = between(text, 'attacks', `${run}\n\n${attackTable(rows)}`);
    text = between(text, 'seeds', (before) => seedsTable(before, seed, rows, loadBefore));
  }
  text = between(text, 'limits', limitsTable());
  writeFileSync(file, text);
}

/** An address that has not been used for a while: next to those of `loopbackAddress`, which are too few. */
function newcomerAddress(index: number): string {
  return `127.255.${process.pid & 0xff}.${1 + (index % 250)}`;
}

/** Puts text between two marks of a document, or what a function makes of the text that is there. */
function between(text: string, name: string, inner: string | ((before: string) => string)): string {
  const marks = new RegExp(`(<!-- ${name} begin[^>]*-->\\n)([\\s\\S]*?)(<!-- ${name} end -->)`);
  return text.replace(marks, (_, begin: string, before: string, end: string) => {
    return `${begin}\n${typeof inner === 'string' ? inner : inner(before)}\n${end}`;
  });
}

if (process.argv[2] === 'victim') await serveVictim();
else if (process.argv[2] === 'attacker') await serveAttacker();
else await main();
