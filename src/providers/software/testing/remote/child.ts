// The other process of the contract between two processes: holds a software device, and calls its verbs as it is told.
import { createReadStream, openSync } from 'node:fs';
import { SoftwareProvider } from '../../provider.js';
import { MemoryMirror } from './memory-mirror.js';
import {
  type Answer,
  type Call,
  type ErrorImage,
  type MemoryReference,
  MessageSplitter,
  writeMessage,
} from './messages.js';

const [, , requestPath, answerPath] = process.argv;
const provider = new SoftwareProvider();
const mirror = new MemoryMirror();
const objects = new Map<number, object>();
const ids = new Map<object, number>();
const signals = new Map<number, AbortController>();
/** More than any private data. */
const MOST_COPIED_BYTES = 256;
let nextId = 1;
let nextPromise = 1;

process.send?.('ready');
const answers = openSync(answerPath, 'w');
const splitter = new MessageSplitter();
createReadStream(requestPath).on('data', (piece) => {
  for (const call of splitter.add(piece as Buffer)) writeMessage(answers, answer(call as Call));
});
process.on('disconnect', () => process.exit(0));

function answer(call: Call): Answer {
  mirror.apply(call.changes);
  try {
    const value = execute(call);
    return { value: encode(value), changes: mirror.changes() };
  } catch (error) {
    return { error: imageOf(error), changes: mirror.changes() };
  }
}

function execute({ target, member, args }: Call): unknown {
  const given = (args ?? []).map(decode);
  switch (target) {
    case 0:
      return undefined;
    case -1:
      return provider.open(member);
    case -2:
      mirror.clear();
      objects.clear();
      ids.clear();
      signals.clear();
      return undefined;
    case -3:
      return signals.get(Number(member))?.abort();
  }
  const object = objects.get(target) as Record<string, unknown>;
  if (args === undefined) return object[member];
  return (object[member] as (...all: unknown[]) => unknown).apply(object, given);
}

/** Objects of the device go by number, promises are announced, everything else is copied. */
function encode(value: unknown): unknown {
  if (value instanceof Promise) {
    const promise = nextPromise++;
    value.then(
      (result) => process.send?.({ promise, value: encode(result) }),
      (error) => process.send?.({ promise, error: imageOf(error) }),
    );
    return { $promise: promise };
  }
  // The memory of regions is mirrored; what is shorter is private data.
  if (value instanceof Uint8Array)
    return value.length <= MOST_COPIED_BYTES ? value.slice() : { $bytes: true };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value;
  const proto = Object.getPrototypeOf(value);
  if (proto === Object.prototype || proto === null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, encode(inner)]));
  let id = ids.get(value);
  if (id === undefined) {
    id = nextId++;
    ids.set(value, id);
    objects.set(id, value);
  }
  return { $object: id };
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const reference = value as Partial<MemoryReference> & {
    $object?: number;
    $stranger?: boolean;
    $signal?: number;
    $aborted?: boolean;
  };
  if (reference.$object !== undefined) return objects.get(reference.$object);
  if (reference.$stranger) return {};
  if (reference.$signal !== undefined) return signalOf(reference.$signal, reference.$aborted === true);
  if (reference.$memory !== undefined) return memoryOf(reference as MemoryReference);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner)]));
}

function signalOf(id: number, aborted: boolean): AbortSignal {
  const controller = new AbortController();
  signals.set(id, controller);
  if (aborted) controller.abort();
  return controller.signal;
}

function memoryOf({ $memory, byteOffset, length, all, shared }: MemoryReference): Uint8Array {
  let whole = mirror.get($memory);
  if (whole === undefined) {
    const bytes = all ?? new Uint8Array(0);
    whole = new Uint8Array(
      shared === true ? new SharedArrayBuffer(bytes.length) : new ArrayBuffer(bytes.length),
    );
    whole.set(bytes);
    mirror.add($memory, whole);
  }
  return new Uint8Array(whole.buffer, byteOffset, length);
}

function imageOf(error: unknown): ErrorImage {
  const { code, message, field, given, allowed, badWrIndex, reason, privateData } = error as ErrorImage;
  const plain = typeof given === 'object' ? String(given) : given;
  return { code, message, field, given: plain, allowed, badWrIndex, reason, privateData };
}
