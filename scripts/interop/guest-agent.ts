import { connect, type Socket } from 'node:net';

/** A completion in the guest. */
export interface GuestCompletion {
  wr_id: number;
  status: string;
  bytes: number;
  imm: number | null;
  /** Bits of libibverbs' `ibv_wc_flags`. */
  flags: number;
  /** The immediate or the invalidated key, as it stands. */
  data: number;
  grh: boolean;
  src_qp: number;
}

/** A queue pair of the guest with its memory. */
export interface GuestEnd {
  id: number;
  qpn: number;
  addr: number;
  rkey: number;
  gid: string;
}

type Answer = Record<string, unknown> & { error?: string };

/** Drives the guest's verbs: one command at a time. */
export class GuestAgent {
  private readonly socket: Socket;
  private buffer = '';
  private waiting: ((line: string) => void)[] = [];
  private failed: Error | null = null;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      this.buffer += chunk;
      for (let at = this.buffer.indexOf('\n'); at >= 0; at = this.buffer.indexOf('\n')) {
        const line = this.buffer.slice(0, at);
        this.buffer = this.buffer.slice(at + 1);
        this.waiting.shift()?.(line);
      }
    });
    socket.on('close', () => {
      this.failed = new Error('the agent in the guest has died');
      for (const wake of this.waiting.splice(0)) wake('{"error":"the agent in the guest has died"}');
    });
    socket.on('error', () => {});
  }

  static connect(port: number): Promise<GuestAgent> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new GuestAgent(socket)));
      socket.once('error', reject);
    });
  }

  /** One command, its answer, or what pyverbs says against it. */
  async call(command: Record<string, unknown>): Promise<Answer> {
    if (this.failed !== null) throw this.failed;
    const line = await new Promise<string>((resolve) => {
      this.waiting.push(resolve);
      this.socket.write(`${JSON.stringify(command)}\n`);
    });
    const answer = JSON.parse(line) as Answer;
    if (answer.error !== undefined) throw new Error(`guest: ${answer.error}`);
    return answer;
  }

  /** Makes ends that are alike. */
  async ends(count: number, options: Record<string, unknown>): Promise<GuestEnd[]> {
    return (await this.call({ op: 'ends', count, ...options }))['ends'] as GuestEnd[];
  }

  async poll(id: number, count: number, timeout = 10): Promise<GuestCompletion[]> {
    return (await this.call({ op: 'poll', id, count, timeout }))['completions'] as GuestCompletion[];
  }

  /** SHA-256 and the first bytes of an end's memory. */
  async read(id: number, offset: number, length: number): Promise<{ sha256: string; hex: string }> {
    return (await this.call({ op: 'read', id, offset, length })) as unknown as {
      sha256: string;
      hex: string;
    };
  }

  close(): void {
    this.socket.destroy();
  }
}
