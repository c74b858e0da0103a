import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './nats-server.js';

/** Why tests that need Slurm are skipped; null where it is installed. */
export const WHY_NO_SLURM = ['slurmctld', 'sbatch', 'scontrol'].every(
  // Some of them say their version only where they find a configuration.
  (program) => spawnSync(program, ['-V']).error === undefined,
)
  ? null
  : 'slurmctld and sbatch are not installed';

/** A controller of Slurm with five nodes that are started when a job needs them: it can say where a job would run. */
export class TestSlurm {
  private readonly config: string;
  private readonly process: ChildProcess;

  private constructor(config: string) {
    this.config = config;
    this.process = spawn('slurmctld', ['-D', '-f', config], { stdio: 'ignore' });
  }

  static async open(folder: string): Promise<TestSlurm> {
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'slurm.conf');
    const lines = [
      ...['ClusterName=test', `SlurmctldHost=${hostname()}`, `SlurmctldPort=${await freePort()}`],
      ...['AuthType=auth/none', 'CredType=cred/none', `SlurmUser=${userInfo().username}`],
      ...[`StateSaveLocation=${folder}`, `SlurmctldPidFile=${join(folder, 'slurmctld.pid')}`],
      ...['ProctrackType=proctrack/linuxproc', 'MailProg=/bin/true'],
      ...['SelectType=select/cons_tres', 'SelectTypeParameters=CR_Core_Memory'],
      // Nodes of a cloud are taken for there before they are.
      ...['SuspendTime=60', 'SuspendProgram=/bin/true', 'ResumeProgram=/bin/true'],
      'NodeName=n[1-5] CPUs=8 RealMemory=32000 State=CLOUD',
      'PartitionName=main Nodes=ALL Default=YES State=UP',
    ];
    writeFileSync(config, `${lines.join('\n')}\n`);
    const slurm = new TestSlurm(config);
    for (let tries = 0; tries < 200; tries++) {
      if (/\bUP\b/.test(slurm.ask('scontrol', ['ping']))) return slurm;
      await sleep(50);
    }
    throw new Error('slurmctld does not answer');
  }

  /** What one of Slurm's programs says, with a script on its input if there is one. */
  ask(program: string, words: readonly string[], input = ''): string {
    const env = { ...process.env, SLURM_CONF: this.config };
    const { stdout, stderr } = spawnSync(program, words, { env, input, encoding: 'utf8' });
    return stdout + stderr;
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.process.once('exit', done));
    if (this.process.exitCode !== null) return;
    this.process.kill('SIGKILL');
    await ended;
  }
}
