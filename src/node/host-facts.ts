import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KelpieError } from '../error.js';
import { type MachineFacts, parseMachineOutput, parseSysfs } from '../host-import/index.js';

/** What a machine's own programs said, and which of them could not be asked. */
export interface CollectedFacts {
  readonly facts: readonly MachineFacts[];
  /** What they printed, as files that can be carried to another machine. */
  readonly files: ReadonlyMap<string, string>;
  /** A program or a place by name, and why it gave nothing. */
  readonly skipped: readonly { readonly source: string; readonly why: string }[];
}

/** Programs that print what a host is made of; of several ways to ask for the same, the first that is there. */
const PROGRAMS: readonly (readonly (readonly [string, ...string[]])[])[] = [
  [['lspci', '-tv']],
  [['lspci', '-D', '-vvv']],
  [['nvidia-smi', 'topo', '-m']],
  [
    ['lstopo-no-graphics', '--of', 'xml'],
    ['lstopo', '--of', 'xml'],
  ],
];
const TIMEOUT_MS = 20_000;
const MOST_BYTES = 32 * 2 ** 20;

/** The name of a copied sysfs beside files of programs. */
const SYSFS_COPY = 'sysfs';
const MOST_IN_FOLDER = 64;

/** Files of a PCI function that say what it is and how its link stands. */
const PCI_FILES = new Set([
  'class',
  'vendor',
  'numa_node',
  'current_link_speed',
  'current_link_width',
  'max_link_speed',
  'max_link_width',
]);
const PCI_FUNCTION = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/i;
/** More than any machine has; a folder that somebody gives may be anything. */
const MOST_FILES = 200_000;
const MOST_DEPTH = 24;

/**
 * Reads what was brought from another machine: files that programs printed, copies of a sysfs, and folders with either.
 * What makes no sense is refused, with its file and line.
 */
export function importHostFacts(paths: readonly string[]): MachineFacts[] {
  return paths.flatMap((path): MachineFacts[] => {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry === undefined) throw unreadable(path, 'there is no such file or folder');
    if (!entry.isDirectory()) return [importFile(path, entry.size)];
    const names = readdirSync(path);
    if (names.includes('devices')) return [parseSysfs(readSysfs(path), path)];
    const facts = names
      .slice(0, MOST_IN_FOLDER)
      .map((name) => join(path, name))
      .flatMap((each) => {
        const { size } = statSync(each);
        if (statSync(each).isFile()) return [importFile(each, size)];
        return each.endsWith(SYSFS_COPY) ? [parseSysfs(readSysfs(each), each)] : [];
      });
    if (facts.length === 0) throw unreadable(path, 'a folder without anything to read');
    return facts;
  });
}

function importFile(path: string, size: number): MachineFacts {
  if (size > MOST_BYTES) throw unreadable(path, `${size} bytes, more than any of these programs prints`);
  return parseMachineOutput(readFileSync(path, 'utf8'), path);
}

function unreadable(path: string, why: string): KelpieError {
  return new KelpieError('BAD_FLAG', `this cannot be imported: ${why}`, {
    field: '--import',
    given: path,
    allowed: 'files that lspci, nvidia-smi or lstopo printed, a copy of /sys, or a folder with those',
  });
}

/** Asks the programs and the sysfs of this machine; a program that is missing or fails is named and skipped. */
export async function collectHostFacts(sysfs = '/sys'): Promise<CollectedFacts> {
  const facts: MachineFacts[] = [];
  const skipped: { source: string; why: string }[] = [];
  const files = new Map<string, string>();
  const take = (source: string, parse: () => MachineFacts) => {
    try {
      facts.push(parse());
    } catch (error) {
      skipped.push({ source, why: (error as Error).message });
    }
  };
  for (const ways of PROGRAMS) {
    const outcomes = [];
    for (const way of ways) {
      const outcome = { source: way.join(' '), ...(await run(way)) };
      outcomes.push(outcome);
      if (outcome.text !== null) break;
    }
    const { source, text, why } = outcomes.find((each) => each.text !== null) ?? outcomes[0];
    if (text === null) skipped.push({ source, why });
    else {
      files.set(`${source.replaceAll(/[ -]+/g, '-')}.txt`, text);
      take(source, () => parseMachineOutput(text, source));
    }
  }
  take(`${sysfs}/devices`, () => {
    const read = readSysfs(sysfs);
    for (const [path, content] of read) files.set(`${SYSFS_COPY}/${path}`, content);
    return parseSysfs(read, `${sysfs}/devices`);
  });
  return { facts, files, skipped };
}

/** The files of a sysfs, or of a copy of one, that say what hangs where: contents by path below it. */
function readSysfs(root: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let seen = 0;
  const walk = (folder: string, depth: number): void => {
    if (depth > MOST_DEPTH) return;
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (++seen > MOST_FILES) return;
      const path = `${folder}/${entry.name}`;
      const inside = folder.slice(folder.lastIndexOf('/') + 1);
      // Only where devices are: below their functions sysfs has much that is nobody's business here.
      if (entry.isDirectory()) {
        const isDevice = PCI_FUNCTION.test(entry.name) || /^(pci[0-9a-f]{4,8}:|node\d)/i.test(entry.name);
        const leads = ['devices', 'system', 'node', 'infiniband'].includes(entry.name);
        if (inside === 'infiniband') files.set(`${path}/name`, entry.name);
        else if (isDevice || leads || isAbove(entry.name)) walk(path, depth + 1);
      } else if (entry.isSymbolicLink() && entry.name === 'physfn')
        keep(path, () => readlinkSync(join(root, path)));
      else if (entry.isFile() && PCI_FUNCTION.test(inside) && PCI_FILES.has(entry.name))
        keep(path, () => readFileSync(join(root, path), 'latin1'));
      else if (entry.isFile() && /^node\d+$/.test(inside) && entry.name === 'meminfo')
        keep(path, () => readFileSync(join(root, path), 'latin1'));
    }
  };
  const keep = (path: string, read: () => string) => {
    try {
      files.set(path, read().slice(0, 65_536));
    } catch {
      // A device that does not answer reads as an error; what it says is unknown then.
    }
  };
  walk('devices', 0);
  return files;
}

/** Platform folders that PCI roots of some machines hang below. */
function isAbove(name: string): boolean {
  return name === 'platform' || name.endsWith('.pcie') || name.endsWith('.pci');
}

function run([program, ...args]: readonly [string, ...string[]]): Promise<{
  text: string | null;
  why: string;
}> {
  return new Promise((done) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: MOST_BYTES, env: { ...process.env, LC_ALL: 'C' } };
    execFile(program, args, options, (error, stdout) => {
      if (error === null) done({ text: stdout, why: '' });
      else if (error.code === 'ENOENT') done({ text: null, why: 'not installed' });
      else if (error.killed === true) done({ text: null, why: `no answer within ${TIMEOUT_MS / 1000} s` });
      else done({ text: null, why: `exit ${error.code}: ${(stdout || error.message).trim().slice(0, 120)}` });
    });
  });
}
