import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CaseBench, type IpVersion } from './bench.js';
import type { InteropCase } from './cases/case.js';
import { cmProgramCases } from './cases/cm-programs.js';
import { datagramCases } from './cases/datagrams.js';
import { libfabricCases } from './cases/libfabric.js';
import { qperfCases } from './cases/qperf.js';
import { recoveryCases } from './cases/recovery.js';
import { stressCases } from './cases/stress.js';
import { toolCases } from './cases/tools.js';
import { verbCases } from './cases/verbs.js';
import { GuestAgent } from './guest-agent.js';
import { type CaseResult, renderTable } from './table.js';
import { CannotRun, ensureImage, VirtualMachine } from './virtual-machine.js';

/** The order of the groups in the table is that of their first rows here. */
const CASES: readonly InteropCase[] = [
  ...verbCases,
  ...recoveryCases,
  ...datagramCases,
  ...toolCases,
  ...libfabricCases,
  ...cmProgramCases,
  ...qperfCases,
  ...stressCases,
];
const CASE_MS = 60_000;
const AGENT_START_MS = 60_000;

const USAGE = `usage: node scripts/interop.js [--only TEXT] [--ip 4|6] [--no-table] [--json] [--capture FOLDER]
  Runs the software device against Linux' soft-RoCE in a virtual machine and writes docs/interop.md.
  KELPIE_INTEROP_CACHE   where the machine is built (default: kelpie/interop in the user's cache)
  KELPIE_INTEROP_ACCEL   QEMU's accelerator (default: tcg,thread=multi)
  Exit status: 0 no row is red but by a fault of the peer's, 1 a row is red, 2 usage, 3 this machine cannot run it.
`;

interface Arguments {
  root: string;
  only: string | null;
  versions: IpVersion[];
  table: boolean;
  json: boolean;
  /** A folder for a capture of each case. */
  capture: string | null;
}

function parseArguments([root, ...rest]: string[]): Arguments | null {
  const parsed: Arguments = { root, only: null, versions: [4, 6], table: true, json: false, capture: null };
  for (let index = 0; index < rest.length; index++) {
    if (rest[index] === '--only') parsed.only = rest[++index] ?? null;
    else if (rest[index] === '--ip') parsed.versions = [Number(rest[++index]) as IpVersion];
    else if (rest[index] === '--no-table') parsed.table = false;
    else if (rest[index] === '--json') parsed.json = true;
    else if (rest[index] === '--capture') parsed.capture = rest[++index] ?? null;
    else return null;
  }
  return parsed.versions.every((version) => version === 4 || version === 6) ? parsed : null;
}

async function startAgent(machine: VirtualMachine, scripts: string): Promise<GuestAgent> {
  await machine.upload(`${scripts}guest/agent.py`, '/tmp/agent.py');
  await machine.upload(`${scripts}guest/forward.py`, '/tmp/forward.py');
  await machine.must('ulimit -l unlimited; setsid python3 /tmp/agent.py > /tmp/agent.log 2>&1 &');
  const deadline = performance.now() + AGENT_START_MS;
  for (;;) {
    const { output } = await machine.exec('cat /tmp/agent.log');
    if (output.includes('KELPIE-AGENT')) return GuestAgent.connect(machine.agentPort);
    if (performance.now() > deadline) throw new Error(`the agent does not start: ${output}`);
    await sleep(200);
  }
}

async function runCase(
  each: InteropCase,
  ip: IpVersion,
  agent: GuestAgent,
  machine: VirtualMachine,
  interrupted: AbortSignal,
  captureFile: string | null,
): Promise<CaseResult> {
  const start = performance.now();
  const over = new AbortController();
  const signal = AbortSignal.any([interrupted, over.signal]);
  const timer = setTimeout(() => over.abort(new Error(`not done in ${CASE_MS / 1000} s`)), CASE_MS);
  let bench: CaseBench | null = null;
  let error: string | null = null;
  let remark = '';
  try {
    bench = await CaseBench.open(ip, agent, machine, each.faults, captureFile);
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    aborted.catch(() => {});
    const answer = await Promise.race([each.run(bench, signal), aborted]);
    if (typeof answer === 'string') remark = answer;
  } catch (cause) {
    error = cause instanceof Error ? cause.message : String(cause);
  } finally {
    clearTimeout(timer);
    over.abort(new Error('over'));
    await bench?.close().catch((cause) => {
      error ??= `closing: ${String(cause)}`;
    });
  }
  return { each, ip, error, remark, seconds: (performance.now() - start) / 1000 };
}

async function main(): Promise<number> {
  const parsed = parseArguments(process.argv.slice(2));
  if (parsed === null) {
    process.stderr.write(USAGE);
    return 2;
  }
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const scripts = `${parsed.root}scripts/interop/`;
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  const start = performance.now();
  let machine: VirtualMachine;
  try {
    machine = await VirtualMachine.boot(ensureImage(scripts, log), log);
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    log(`cannot run here: ${error.message}`);
    return 3;
  }
  const results: CaseResult[] = [];
  try {
    const agent = await startAgent(machine, scripts);
    for (const each of CASES) {
      if (parsed.only !== null && !`${each.group} ${each.name} ${each.requester}`.includes(parsed.only))
        continue;
      for (const ip of parsed.versions) {
        if (interrupt.signal.aborted) break;
        if (ip === 6 && each.ipv4Alone !== undefined) continue;
        const captureFile =
          parsed.capture === null ? null : `${parsed.capture}/${CASES.indexOf(each)}-ipv${ip}.pcapng`;
        const result = await runCase(each, ip, agent, machine, interrupt.signal, captureFile);
        results.push(result);
        const word = result.error === null ? 'ok ' : 'RED';
        const why = result.error === null ? result.remark : result.error;
        log(
          `${word} ${result.seconds.toFixed(1).padStart(5)} s  ${each.requester.padEnd(6)} IPv${ip}  ${each.name}  ${why}`,
        );
      }
    }
    agent.close();
  } finally {
    machine.stop();
  }
  if (results.length === 0 && !interrupt.signal.aborted) {
    log(`no row is like '${parsed.only}'`);
    return 2;
  }
  const seconds = (performance.now() - start) / 1000;
  const red = results.filter(({ error, each }) => error !== null && each.kernelFault === undefined);
  log(
    `${results.length} rows, ${results.filter(({ error }) => error !== null).length} red, ${seconds.toFixed(0)} s`,
  );
  const whole = parsed.only === null && parsed.versions.length === 2 && !interrupt.signal.aborted;
  if (parsed.json)
    process.stdout.write(
      `${JSON.stringify(results.map(({ each, ...rest }) => ({ ...rest, group: each.group, name: each.name, requester: each.requester })))}\n`,
    );
  if (whole && parsed.table) {
    const file = `${parsed.root}docs/interop.md`;
    const text = renderTable(results, machine.versions);
    let before = '';
    try {
      before = readFileSync(file, 'utf8');
    } catch {
      // The first run writes the first table.
    }
    if (before !== text) writeFileSync(file, text);
  }
  return red.length > 0 ? 1 : 0;
}

process.exitCode = await main();
