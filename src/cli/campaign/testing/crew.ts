import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Apart } from '../../testing/apart.js';

/** A program that was begun, and what it has said so far. */
export interface Begun {
  readonly child: ChildProcess;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number | null>;
  err(): string;
  out(): string;
}

/** Controllers and workers in processes of their own, with a folder for their files. */
export class Crew {
  readonly folder: string;
  readonly program: Apart;
  private readonly children = new Set<ChildProcess>();

  private constructor(program: Apart) {
    this.program = program;
    this.folder = mkdtempSync(join(tmpdir(), 'kelpie-campaign-'));
  }

  static async open(): Promise<Crew> {
    return new Crew(await Apart.build());
  }

  /** Writes a file, and gives its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  begin(argv: readonly string[]): Begun {
    const child = this.program.begin(argv);
    this.children.add(child);
    let err = '';
    let out = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    child.stdout.on('data', (text) => {
      out += text;
    });
    const ended = new Promise<number | null>((done) => {
      child.on('close', (code) => {
        this.children.delete(child);
        done(code);
      });
    });
    return { child, ended, err: () => err, out: () => out };
  }

  /** Kills whoever still runs. */
  kill(): void {
    for (const child of this.children) child.kill('SIGKILL');
  }

  close(): void {
    this.kill();
    this.program.remove();
    rmSync(this.folder, { recursive: true });
  }
}
