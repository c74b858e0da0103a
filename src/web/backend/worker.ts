// The thread behind the page, by its name: the hub has the desk, the crew runs what the desk is asked for.
import { MemoryStore } from '../../jobs/pool/memory-store.js';
import type { Store } from '../../jobs/pool/store.js';
import { catalogueOf } from '../../laboratory/desk/catalogue.js';
import { Crew, type FromWorker, type Hire, type ToWorker } from '../../laboratory/desk/crew.js';
import { crewWorker } from '../../laboratory/desk/crew-worker.js';
import { Desk } from '../../laboratory/desk/desk.js';
import { deskPort } from '../../laboratory/desk/desk-port.js';
import type { FromHub, ToCrew, ToHub } from './hub-messages.js';
import { IdbStore } from './idb-store.js';

/** What a thread of a browser has: the page's own types do not know it. */
interface Thread {
  readonly name: string;
  onmessage: ((message: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
}

const thread = self as unknown as Thread;

/** Where the tasks of a worker come from; held here, because a port that nobody holds may be collected. */
let tasks: MessagePort | null = null;

function beCrew(): void {
  thread.onmessage = ({ data }) => {
    const { port } = data as ToCrew;
    tasks = port;
    const heard = crewWorker({
      post: (message) => port.postMessage(message),
      wallClock: () => performance.now() / 1000,
    });
    tasks.onmessage = (message) => void heard(message.data as ToWorker);
  };
}

function beHub(): void {
  const tell = (message: FromHub) => thread.postMessage(message);
  const members = new Members(tell);
  const cores = Math.max(1, navigator.hardwareConcurrency);
  const crew = new Crew(cores, members.hire);
  crew.warmUp();
  const answer = openStore().then((store) =>
    deskPort(new Desk({ catalogue: catalogueOf(cores), crew, store, nowMs: () => Date.now() }), tell),
  );
  thread.onmessage = ({ data }) => {
    const message = data as ToHub;
    if ('call' in message) void answer.then((call) => call(message));
    else if (message.kind === 'hired') members.hired(message.member, message.port);
    else members.lost(message.member, message.message);
  };
}

/** A worker that was asked for; what it is told before its port is there waits. */
interface Member {
  port: MessagePort | null;
  readonly early: ToWorker[];
  readonly onMessage: (message: FromWorker) => void;
  readonly onEnd: (error: Error) => void;
}

/** The workers that the page has begun for the hub. */
class Members {
  private readonly tell: (message: FromHub) => void;
  private readonly all = new Map<number, Member>();
  private next = 1;

  constructor(tell: (message: FromHub) => void) {
    this.tell = tell;
  }

  readonly hire: Hire = (onMessage, onEnd) => {
    const number = this.next++;
    const member: Member = { port: null, early: [], onMessage, onEnd };
    this.all.set(number, member);
    this.tell({ kind: 'hire', member: number });
    return {
      post: (message) => {
        if (member.port === null) member.early.push(message);
        else member.port.postMessage(message);
      },
      end: () => {
        if (this.all.delete(number)) this.tell({ kind: 'dismiss', member: number });
      },
    };
  };

  hired(number: number, port: MessagePort): void {
    const member = this.all.get(number);
    if (member === undefined) return;
    member.port = port;
    port.onmessage = ({ data }) => member.onMessage(data as FromWorker);
    for (const message of member.early.splice(0)) port.postMessage(message);
  }

  lost(number: number, message: string): void {
    this.all.get(number)?.onEnd(new Error(message));
  }
}

/** In a window that keeps nothing, results last as long as the page. */
async function openStore(): Promise<Store> {
  try {
    return await IdbStore.open('kelpie-laboratory');
  } catch {
    return new MemoryStore();
  }
}

if (thread.name === 'hub') beHub();
else beCrew();
