import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Why the suite cannot run here; no row is red for it. */
export class CannotRun extends Error {}

/** What a command in the guest did. */
export interface Outcome {
  code: number;
  output: string;
}

const BOOT_MS = 120_000;
const GUEST_CONTROL = 2222;
const GUEST_AGENT = 2223;
/** perftest's and the ping-pongs' port in the guest. */
export const GUEST_TOOL_PORT = 18515;
/** This machine as the guest sees it, over QEMU's user network. */
export const HOST_IN_GUEST = '10.0.2.2';

/** The folder of the built image: KELPIE_INTEROP_CACHE, or one in the user's cache. */
export function cacheFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env['KELPIE_INTEROP_CACHE'] ?? join(cache, 'kelpie', 'interop');
}

/** Builds the image, or takes the one that was built from the same scripts before. */
export function ensureImage(scripts: string, log: (line: string) => void): string {
  const folder = cacheFolder();
  const parts = ['build.sh', 'guest/init', 'guest/control.py'];
  const stamp = createHash('sha256');
  for (const part of parts) stamp.update(readFileSync(join(scripts, part)));
  const wanted = stamp.digest('hex');
  const stampFile = join(folder, 'built-from');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) {
    if (spawnSync('qemu-system-x86_64', ['--version'], { stdio: 'ignore' }).status === 0) return folder;
  }
  log(`building the virtual machine in ${folder} (once, a minute or two)`);
  mkdirSync(folder, { recursive: true });
  const built = spawnSync(join(scripts, 'build.sh'), [folder], { encoding: 'utf8', timeout: 900_000 });
  if (built.status === 3) throw new CannotRun(built.stderr.trim().split('\n').pop());
  if (built.status !== 0)
    throw new Error(`building the virtual machine failed:\n${built.stdout}${built.stderr}`);
  writeFileSync(stampFile, wanted);
  return folder;
}

/** A booted guest with soft-RoCE: its frames on a pair of UDP ports, its control channel on TCP. */
export class VirtualMachine {
  /** Frames of the guest arrive at this port of the loopback. */
  readonly localPort: number;
  /** And are sent to this one. */
  readonly remotePort: number;
  /** Where the guest's port of perftest is reached. */
  readonly toolPort: number;
  readonly versions: string[];
  private readonly control: number;
  private readonly agent: number;
  private readonly process: ChildProcess;

  private constructor(process: ChildProcess, ports: number[], versions: string[]) {
    this.process = process;
    [this.localPort, this.remotePort, this.control, this.agent, this.toolPort] = ports;
    this.versions = versions;
  }

  /** Boots it and waits until it answers. */
  static async boot(folder: string, log: (line: string) => void): Promise<VirtualMachine> {
    const ports = [
      await freeUdpPort(),
      await freeUdpPort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const [local, remote, control, agent, tool] = ports;
    const forward = (from: number, to: number) => `hostfwd=tcp:127.0.0.1:${from}-10.0.2.15:${to}`;
    const consoleFile = join(folder, 'console.log');
    writeFileSync(consoleFile, '');
    const frames = [
      'dgram,id=n0',
      `local.type=inet,local.host=127.0.0.1,local.port=${remote}`,
      `remote.type=inet,remote.host=127.0.0.1,remote.port=${local}`,
    ].join(',');
    const user = [
      'user,id=n1',
      forward(control, GUEST_CONTROL),
      forward(agent, GUEST_AGENT),
      forward(tool, GUEST_TOOL_PORT),
    ].join(',');
    const arguments_ = [
      ...['-accel', process.env['KELPIE_INTEROP_ACCEL'] ?? 'tcg,thread=multi', '-cpu', 'max', '-smp', '2'],
      ...['-m', '512', '-machine', 'q35', '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
      ...['-kernel', join(folder, 'kernel'), '-initrd', join(folder, 'initial-ramdisk')],
      ...['-serial', `file:${consoleFile}`],
      ...['-drive', `file=${join(folder, 'root.ext4')},format=raw,if=virtio,snapshot=on`],
      ...['-append', 'console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable'],
      ...['-netdev', frames, '-device', 'virtio-net-pci,netdev=n0,romfile=,mac=02:00:00:00:77:02'],
      ...['-netdev', user, '-device', 'virtio-net-pci,netdev=n1,romfile='],
    ];
    const qemu = spawn('qemu-system-x86_64', arguments_, { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    qemu.stderr?.on('data', (chunk) => {
      complaint += chunk;
    });
    const machine = new VirtualMachine(
      qemu,
      ports,
      readFileSync(join(folder, 'versions.txt'), 'utf8').trim().split('\n'),
    );
    const start = performance.now();
    for (;;) {
      if (qemu.exitCode !== null)
        throw new CannotRun(
          `QEMU does not start here: ${complaint.trim() || `it ended with ${qemu.exitCode}`}`,
        );
      if (readFileSync(consoleFile, 'utf8').includes('KELPIE-CONTROL')) break;
      if (performance.now() - start > BOOT_MS) {
        qemu.kill('SIGKILL');
        throw new Error('the virtual machine does not come up');
      }
      await sleep(200);
    }
    log(`booted in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return machine;
  }

  /** Runs a shell command in the guest; killed there when `signal` aborts. */
  exec(command: string, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.control, '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8');
      const abort = () => {
        socket.destroy();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
      socket.on('connect', () => socket.write(`${command.replaceAll('\n', ' ')}\n`));
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => {
        signal?.removeEventListener('abort', abort);
        const match = /\n?__RC=(-?\d+)\n$/.exec(text);
        if (match === null) reject(new Error(`the guest hung up: ${text}`));
        else resolve({ code: Number(match[1]), output: text.slice(0, match.index) });
      });
    });
  }

  /** Runs a command that must succeed. */
  async must(command: string): Promise<string> {
    const { code, output } = await this.exec(command);
    if (code !== 0) throw new Error(`in the guest, '${command}' gave ${code}: ${output}`);
    return output;
  }

  /** Brings a file into the guest. */
  async upload(file: string, to: string): Promise<void> {
    const text = readFileSync(file).toString('base64');
    await this.must(`echo ${text} | base64 -d > ${to} && chmod +x ${to}`);
  }

  /** The TCP port of the agent that drives the guest's verbs. */
  get agentPort(): number {
    return this.agent;
  }

  stop(): void {
    this.process.kill('SIGKILL');
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function freeUdpPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.bind(0, '127.0.0.1', () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    });
  });
}
