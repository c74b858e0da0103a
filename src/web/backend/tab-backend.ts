import type { LaboratoryBackend } from '../../laboratory/desk/backend.js';
import { type DeskCall, DistantDesk } from '../../laboratory/desk/desk-port.js';
import { fileOf } from '../release.js';
import type { FromHub, ToCrew, ToHub } from './hub-messages.js';

/** The laboratory in this tab: a desk in a thread of its own, and threads that run what it is asked for. */
export function openTab(): LaboratoryBackend {
  const hub = fetchWorker().then(
    (script) =>
      new Hub(
        script,
        (reply) => desk.heard(reply),
        (error) => desk.lost(error),
      ),
  );
  const desk = new DistantDesk((call: DeskCall) => void hub.then((each) => each.tell(call)));
  hub.catch((error: Error) => desk.lost(error));
  return desk;
}

type Reply = Parameters<DistantDesk['heard']>[0];

/** The thread of the desk, and those that it asked for. */
class Hub {
  private readonly worker: Worker;
  private readonly script: string;
  private readonly crew = new Map<number, Worker>();

  constructor(script: string, onReply: (reply: Reply) => void, onEnd: (error: Error) => void) {
    this.script = script;
    this.worker = new Worker(script, { name: 'hub' });
    this.worker.onmessage = ({ data }) => {
      const message = data as FromHub;
      if ('call' in message) onReply(message);
      else if (message.kind === 'hire') this.hire(message.member);
      else this.dismiss(message.member);
    };
    this.worker.onerror = (event) => onEnd(new Error(event.message || 'the laboratory of this page ended'));
  }

  tell(message: ToHub, ...transferred: Transferable[]): void {
    this.worker.postMessage(message, transferred);
  }

  private hire(member: number): void {
    const worker = new Worker(this.script, { name: 'crew' });
    this.crew.set(member, worker);
    worker.onerror = (event) =>
      this.tell({ kind: 'lost', member, message: event.message || 'a worker of the page ended' });
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ port: port1 } satisfies ToCrew, [port1]);
    this.tell({ kind: 'hired', member, port: port2 }, port2);
  }

  private dismiss(member: number): void {
    this.crew.get(member)?.terminate();
    this.crew.delete(member);
  }
}

/**
 * The address of the workers' program. It is the whole simulator, so it comes compressed whatever the server does, and is
 * opened here; its threads begin from it without asking the network again.
 */
async function fetchWorker(): Promise<string> {
  const response = await fetch(fileOf('worker.bin'));
  if (!response.ok) throw new Error(`worker.bin: ${response.status}`);
  const plain = response.body!.pipeThrough(new DecompressionStream('gzip'));
  const script = await new Response(plain).blob();
  return URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
}
