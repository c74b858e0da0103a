// Random everyday workloads on Collie's subsystems A to H, and every alarm that the verdict raises:
// `npm run alarms -- [--count 1000] [--seed 1] [--json]`. Exit 1 where no published
// row explains one.
import { parseArgs } from 'node:util';
import { Random } from '../src/engine/index.js';
import { openTestbedFor } from '../src/testbeds/index.js';
import { resolveWorkload, runWorkload, type WorkloadInput } from '../src/workload/index.js';

const LETTERS = [...'abcdefgh'];
const MTUS = [256, 512, 1024, 2048, 4096] as const;
const DEPTHS = [1, 2, 4, 8, 16, 32, 64, 128] as const;
const QPS = [1, 2, 4, 8, 16, 32, 64] as const;
/** Every third size is odd: any length up to 1 MB, as likely small as large. */
const ODD_SHARE = 3;
const GREATEST_POWER = 20;

/** One everyday workload: 1 to 64 queue pairs, batch 1, depth up to 128, any size and MTU, one way and both. */
function draw(random: Random) {
  const pick = <T>(values: readonly T[]): T => values[random.nextInt(values.length)];
  const power = 2 ** (1 + random.nextInt(GREATEST_POWER));
  const size = random.nextInt(ODD_SHARE) === 0 ? 1 + random.nextInt(power) : power;
  return {
    opcode: pick(['WRITE', 'READ', 'SEND'] as const),
    qps: pick(QPS),
    sendQueueDepth: pick(DEPTHS),
    mtu: pick(MTUS),
    sizes: [size],
    mrBytes: Math.max(65536, size),
    direction: pick(['uni', 'bi'] as const),
    measure: { minNs: 200_000, maxNs: 1_000_000 },
  } satisfies WorkloadInput;
}

type Drawn = ReturnType<typeof draw>;

/**
 * The row of Collie's Table 2 that an everyday workload can be: of the others each needs posts of several WQEs. #3 is about
 * READs at an MTU of 1 KB, whose data costs too much: in smaller packets each byte of it costs no less.
 */
function publishedRow(subsystem: string, { opcode, qps, sendQueueDepth, mtu, sizes }: Drawn): string | null {
  const [size] = sizes;
  if (/[efg]$/.test(subsystem) && opcode === 'READ' && mtu <= 1024 && size >= 16384) return '#3';
  const many = qps >= 64 && sendQueueDepth >= 128;
  return /h$/.test(subsystem) && opcode === 'SEND' && many && size <= 1024 ? '#17' : null;
}

interface Alarm {
  number: number;
  subsystem: string;
  workload: WorkloadInput;
  symptom: string | null;
  why: string;
  limitedBy: string;
  /** The published row that explains it; null where none does. */
  row: string | null;
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed) || seed < 0) {
  console.error('kelpie: --count is an integer from 1 on, --seed one from 0 on');
  process.exit(2);
}
const random = new Random(seed).split('alarms');
const alarms: Alarm[] = [];
for (let number = 0; number < count; number++) {
  const subsystem = `collie-${LETTERS[number % LETTERS.length]}`;
  const input = draw(random);
  const workload = resolveWorkload(input);
  const testbed = await openTestbedFor(workload, { subsystem, seed });
  try {
    const { verdict, limits } = await runWorkload(workload, testbed, { seed });
    if (verdict.anomaly) {
      const { symptom, why } = verdict;
      const row = publishedRow(subsystem, input);
      alarms.push({ number, subsystem, workload: input, symptom, why, limitedBy: limits.by, row });
      const explained = row === null ? 'no published row' : row;
      if (!values.json)
        console.log(
          `${number} ${subsystem} ${symptom} (${explained}): ${JSON.stringify(input)}\n  ${why}\n  ${limits.by}`,
        );
    }
  } finally {
    await testbed.close();
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${number + 1} of ${count}, ${alarms.length} alarms`);
}
if (process.stderr.isTTY) process.stderr.write('\n');
const unexplained = alarms.filter(({ row }) => row === null).length;
if (values.json) console.log(JSON.stringify({ count, seed, unexplained, alarms }, null, 1));
else
  console.log(
    `${alarms.length} alarms in ${count} workloads, ${unexplained} without a published row, seed ${seed}`,
  );
process.exit(unexplained > 0 ? 1 : 0);
