import { endianness } from 'node:os';

/** The functions of the C library that sockets with options need, through a foreign function interface. */
export interface Libc {
  socket(domain: number, type: number, protocol: number): number;
  bind(fd: number, address: Uint8Array, addressBytes: number): number;
  close(fd: number): number;
  setsockopt(fd: number, level: number, name: number, value: Int32Array, valueBytes: number): number;
  getsockopt(fd: number, level: number, name: number, value: Int32Array, valueBytes: Uint32Array): number;
  sendmmsg(fd: number, messages: Uint8Array, count: number, flags: number): number;
  recvmmsg(fd: number, messages: Uint8Array, count: number, flags: number, timeout: null): number;
  /** The error of the call before. */
  errno(): number;
  /** Where memory lies. It stays there for as long as the buffer lives. */
  addressOf(memory: Uint8Array): number;
  /** Node's own event loop, null where its functions are not to be found. */
  readonly loop: LoopFunctions | null;
}

/** The functions of libuv that watch a descriptor in Node's own event loop. */
export interface LoopFunctions {
  /** Bytes of a watcher. */
  readonly watcherBytes: number;
  init(watcher: Uint8Array, fd: number): number;
  start(watcher: Uint8Array, events: number, callback: bigint): number;
  stop(watcher: Uint8Array): number;
  close(watcher: Uint8Array): void;
  /** Makes a function that the loop can call with (watcher, status, events). */
  register(callback: (watcher: unknown, status: number, events: number) => void): bigint;
  unregister(callback: bigint): void;
}

/** libuv's number of its `uv_poll_t` handles. */
const UV_POLL = 8;

let loaded: Promise<Libc | string> | null = null;

/** Loads the functions once; a sentence where this machine has none. */
export function loadLibc(): Promise<Libc | string> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Libc | string> {
  if (process.platform !== 'linux') return `sendmmsg and recvmmsg are Linux's; this is ${process.platform}`;
  // The layouts of msghdr, iovec and cmsghdr in this folder are those of 64-bit little-endian Linux.
  if (endianness() !== 'LE' || !['x64', 'arm64', 'riscv64', 'loong64'].includes(process.arch))
    return `no layout of socket structures for ${process.arch}`;
  try {
    const { default: koffi } = await import('koffi');
    return bindFunctions(koffi);
  } catch (error) {
    return `the package koffi does not load (npm install koffi): ${error instanceof Error ? error.message : String(error)}`;
  }
}

type Koffi = typeof import('koffi').default;

function bindFunctions(koffi: Koffi): Libc {
  // The C library is part of every process: no path to guess.
  const library = koffi.load(null);
  return {
    socket: library.func('int socket(int, int, int)'),
    bind: library.func('int bind(int, const void *, uint)'),
    close: library.func('int close(int)'),
    setsockopt: library.func('int setsockopt(int, int, int, const void *, uint)'),
    getsockopt: library.func('int getsockopt(int, int, int, void *, void *)'),
    sendmmsg: library.func('int sendmmsg(int, void *, uint, int)'),
    recvmmsg: library.func('int recvmmsg(int, void *, uint, int, void *)'),
    errno: () => koffi.errno(),
    addressOf: (memory) => Number(koffi.address(memory)),
    loop: bindLoop(koffi),
  };
}

function bindLoop(koffi: Koffi): LoopFunctions | null {
  try {
    const library = koffi.load(null);
    const callbackType = koffi.pointer(koffi.proto('void (void *, int, int)'));
    const defaultLoop = library.func('void *uv_default_loop()');
    const handleBytes = library.func('size_t uv_handle_size(int)');
    const init = library.func('int uv_poll_init(void *, void *, int)');
    const start = library.func('uv_poll_start', 'int', ['void *', 'int', callbackType]);
    const stop = library.func('int uv_poll_stop(void *)');
    const close = library.func('void uv_close(void *, void *)');
    return {
      watcherBytes: Number(handleBytes(UV_POLL)),
      init: (watcher, fd) => init(defaultLoop(), watcher, fd),
      start: (watcher, events, callback) => start(watcher, events, callback),
      stop: (watcher) => stop(watcher),
      close: (watcher) => close(watcher, null),
      register: (callback) => koffi.register(callback, callbackType),
      unregister: (callback) => koffi.unregister(callback),
    };
  } catch {
    return null;
  }
}
