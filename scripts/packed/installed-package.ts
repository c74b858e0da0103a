import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** What a process left behind. */
export interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

/** The tarball as `npm publish` would send it. */
export interface Tarball {
  path: string;
  /** The paths in it. */
  files: string[];
}

/** Less than a test may take, so that a program that hangs is ended before its test is given up. */
const PATIENCE_MS = 100_000;

/** Builds what is stale and packs the package. */
export function packPackage(folder: string): Tarball {
  execFileSync(process.execPath, ['scripts/build.js', '--if-stale'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const text = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], '.');
  const [packed] = JSON.parse(text) as { filename: string; files: { path: string }[] }[];
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** A package installed into an empty folder: what a user has after `npm install kelpie`. */
export class InstalledPackage {
  readonly folder: string;

  /** Takes the other packages from npm's cache where it has them, else from the registry. */
  constructor(tarball: Tarball, options: { omitOptional?: boolean } = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'kelpie-packed-'));
    writeFileSync(join(this.folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const omit = options.omitOptional === true ? ['--omit=optional'] : [];
    npm(['install', '--prefer-offline', '--no-audit', '--no-fund', ...omit, tarball.path], this.folder);
  }

  /** Lends a package of this tree to the folder, for what is no dependency of users: types, the bundler. */
  lend(name: string): void {
    const place = join(this.folder, 'node_modules', name);
    mkdirSync(resolve(place, '..'), { recursive: true });
    symlinkSync(resolve('node_modules', name), place);
  }

  /** Writes a file below the folder and returns its path. */
  write(path: string, text: string): string {
    const full = join(this.folder, path);
    mkdirSync(resolve(full, '..'), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  /** Runs Node in a folder below this one. */
  node(argv: readonly string[], below = '.'): Promise<Outcome> {
    return run(process.execPath, argv, join(this.folder, below));
  }

  /** Runs the installed command `kelpie`. */
  kelpie(argv: readonly string[], below = '.'): Promise<Outcome> {
    return run(join(this.folder, 'node_modules/.bin/kelpie'), argv, join(this.folder, below));
  }

  /** Begins the installed command `kelpie`, as a process of its own; whoever begins it ends it. */
  begin(argv: readonly string[]): ChildProcess {
    const main = join(this.folder, 'node_modules/.bin/kelpie');
    return spawn(process.execPath, [main, ...argv], { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function npm(argv: readonly string[], cwd: string): string {
  return execFileSync('npm', argv, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function run(command: string, argv: readonly string[], cwd: string): Promise<Outcome> {
  return new Promise((done, failed) => {
    const child = spawn(command, argv, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
    });
    const outcome: Outcome = { code: null, out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      outcome.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      outcome.err += text;
    });
    child.on('error', failed);
    child.on('close', (code) => done({ ...outcome, code }));
  });
}
