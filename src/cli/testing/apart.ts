import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Outcome } from './typed.js';

/** The program in processes of its own: for what would take the test's along, or never come back. */
export class Apart {
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async build(): Promise<Apart> {
    // Among the modules that the program needs.
    const folder = mkdtempSync(join(resolve('node_modules'), '.kelpie-apart-'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const target = { platform: 'node', format: 'esm', packages: 'external', logLevel: 'silent' } as const;
    const programs = ['cli/main', 'node/job-worker', 'node/host/mesh-process', 'cli/serve/crew-thread'];
    const entryPoints = programs.map((name) => resolve(`src/${name}.ts`));
    await build({ entryPoints, outdir: folder, entryNames: '[name]', bundle: true, ...target });
    return new Apart(folder);
  }

  /** Begins it as if its arguments had been typed; whoever begins it ends it. */
  begin(argv: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [join(this.folder, 'main.js'), ...argv]);
  }

  /** Runs it as if its arguments had been typed; one that takes longer is killed, and has code null. */
  async typed(
    argv: readonly string[],
    limitMs: number,
  ): Promise<Omit<Outcome, 'code'> & { code: number | null }> {
    const child = this.begin(argv);
    const outcome = { code: null as number | null, out: '', err: '' };
    child.stdout.on('data', (text) => {
      outcome.out += text;
    });
    child.stderr.on('data', (text) => {
      outcome.err += text;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    outcome.code = await new Promise((done, failed) => {
      child.on('close', done);
      child.on('error', failed);
    });
    clearTimeout(timer);
    return outcome;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
