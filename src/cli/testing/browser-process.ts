import { type ChildProcess, type IOType, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The leash: a pipe whose other end this process holds. It ends when this process does, however that comes about. */
const LEASH = 5;

/**
 * A browser with all its processes as one group, and a folder of its own for its profile. The group ends with `end` and
 * with this process, killed or not: a test's worker that is terminated runs no hook, and browsers do not look after
 * whoever began them.
 */
export class BrowserProcess {
  readonly child: ChildProcess;
  readonly profile: string;

  private constructor(child: ChildProcess, profile: string) {
    this.child = child;
    this.profile = profile;
  }

  /** Begins it; the arguments may need the folder of the profile. `stdio` has its file descriptors from 0, at most 5. */
  static begin(
    path: string,
    argumentsOf: (profile: string) => readonly string[],
    stdio: readonly IOType[],
    env: (profile: string) => NodeJS.ProcessEnv = () => process.env,
  ): BrowserProcess {
    const profile = mkdtempSync(join(tmpdir(), 'kelpie-browser-'));
    // The guard holds none of the browser's pipes; both are of the group that the shell leads, which becomes the browser.
    const guard = `(read -r _ <&${LEASH}; kill -KILL -$$) 3<&- 4>&- >/dev/null 2>&1 & exec "$@" ${LEASH}<&-`;
    const child = spawn('/bin/sh', ['-c', guard, 'browser', path, ...argumentsOf(profile)], {
      stdio: [...stdio, ...new Array<IOType>(LEASH - stdio.length).fill('ignore'), 'pipe'],
      env: env(profile),
      detached: true,
    });
    return new BrowserProcess(child, profile);
  }

  /** Ends every process of it and removes its profile. */
  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.child;
    const ended =
      exitCode !== null || signalCode !== null || pid === undefined
        ? undefined
        : new Promise((done) => this.child.once('exit', done));
    if (pid !== undefined)
      try {
        // Also where the browser has ended by itself: its children and the guard may be left.
        process.kill(-pid, 'SIGKILL');
      } catch {
        // Nobody is left.
      }
    await ended;
    for (const stream of this.child.stdio) stream?.destroy();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
}
