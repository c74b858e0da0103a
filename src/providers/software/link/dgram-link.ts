import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import {
  ADDRESS_WORDS,
  DatagramBatch,
  type Link,
  type LinkAbilities,
  type LinkListener,
  SENT_FRAGMENT_WORD,
} from '../../../link/index.js';
import { formatGidShort, formatIpv4Address, gidToIpv4 } from '../../../wire/index.js';
import { longestDatagram } from './interface-mtu.js';
import { gidOfText, type IpEndpoint, parseEndpoint } from './ip-endpoint.js';
import type { LinkOptions } from './link-options.js';
import { openError } from './udp-socket.js';

/** Datagrams handed to Node that have not left. */
const MOST_WAITING = 512;
/** Strangers may send from any address: the memory for their text is bounded. */
const MOST_ADDRESSES = 1024;

/** A datagram that Node was given and has not sent yet. Used again: its garbage would set off collections of all memory. */
class Departure {
  private bytes = new Uint8Array(0);
  readonly onSent: (error: Error | null) => void;

  constructor(over: (departure: Departure, error: Error | null) => void) {
    this.onSent = (error) => over(this, error);
  }

  /** A copy: the batch is its owner's again before Node sends. */
  copy(bytes: Uint8Array, from: number, end: number): Uint8Array {
    if (this.bytes.length < end - from) this.bytes = new Uint8Array(end - from);
    this.bytes.set(bytes.subarray(from, end));
    return this.bytes;
  }
}

/**
 * A link over Node's own datagram sockets: no native code, and therefore no options. One datagram a system call, no
 * ECN, and over IPv4 an identification that nobody knows.
 */
export class DgramLink implements Link {
  readonly name: string;
  readonly abilities: LinkAbilities;
  readonly gids: readonly Uint8Array[];
  readonly sourcePort: number;
  readonly port: number;
  private readonly endpoint: IpEndpoint;
  private readonly socket: Socket;
  private readonly batch = new DatagramBatch(1, new Uint8Array(65536));
  private readonly addressTexts = new Map<string, string>();
  private readonly addressWords = new Map<string, Uint32Array>();
  private listener: LinkListener | null = null;
  private waiting = 0;
  private readonly idle: Departure[] = [];
  private full = false;
  private closed = false;
  private sentDatagrams = 0;
  private sentBytes = 0;
  private sendErrors = 0;
  private receivedDatagrams = 0;
  private receivedBytes = 0;

  private constructor(socket: Socket, endpoint: IpEndpoint, port: number, reason: string) {
    this.socket = socket;
    this.endpoint = endpoint;
    this.name = `dgram ${endpoint.text} port ${port}`;
    this.gids = [endpoint.gid];
    this.port = port;
    this.sourcePort = port;
    this.abilities = abilitiesOf(endpoint, reason, socket.getRecvBufferSize());
    socket.on('message', (message, from) => this.onMessage(message, from));
    socket.on('error', (error) => this.listener?.failed(error));
  }

  /** Opens it; `reason` says why no better link was taken. */
  static async open(options: Required<LinkOptions>, reason: string): Promise<DgramLink> {
    const endpoint = parseEndpoint(options.address);
    const { port, receiveBufferBytes, sendBufferBytes } = options;
    const socket = createSocket({
      type: endpoint.version === 4 ? 'udp4' : 'udp6',
      ipv6Only: endpoint.version === 6,
    });
    const address = endpoint.zone === '' ? endpoint.text : `${endpoint.text}%${endpoint.zone}`;
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: Error): void => {
        socket.close();
        reject(openError(endpoint.text, port, error.message, error));
      };
      socket.once('error', refuse);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', refuse);
        resolve();
      });
    });
    socket.setRecvBufferSize(receiveBufferBytes);
    socket.setSendBufferSize(sendBufferBytes);
    return new DgramLink(socket, endpoint, port, reason);
  }

  createBatch(capacity: number, bytes: number): DatagramBatch {
    return new DatagramBatch(capacity, new Uint8Array(bytes));
  }

  start(listener: LinkListener): void {
    this.listener = listener;
  }

  send(batch: DatagramBatch, from: number): number {
    if (this.closed) return batch.count;
    for (let index = from; index < batch.count; index++) {
      if (this.waiting >= MOST_WAITING) {
        this.full = true;
        return index;
      }
      this.sendOne(batch, index);
    }
    return batch.count;
  }

  private sendOne(batch: DatagramBatch, index: number): void {
    const address = this.textOf(batch, index);
    if (address === null) {
      this.sendErrors++;
      return;
    }
    const departure = this.idle.pop() ?? new Departure(this.onSent);
    const from = batch.offset[index];
    const end = batch.end[index];
    const copy = departure.copy(batch.bytes, from, end);
    this.waiting++;
    this.sentDatagrams++;
    this.sentBytes += end - from;
    this.socket.send(copy, 0, end - from, this.port, address, departure.onSent);
  }

  private readonly onSent = (departure: Departure, error: Error | null): void => {
    this.idle.push(departure);
    this.waiting--;
    if (error !== null) this.sendErrors++;
    if (!this.full || this.waiting > MOST_WAITING / 2) return;
    this.full = false;
    if (!this.closed) this.listener?.writable();
  };

  /** The address as Node wants it; null where this socket cannot reach it. */
  private textOf(batch: DatagramBatch, index: number): string | null {
    const at = ADDRESS_WORDS * index;
    const { addressWords: words } = batch;
    const key = `${words[at]},${words[at + 1]},${words[at + 2]},${words[at + 3]}`;
    const known = this.addressTexts.get(key);
    if (known !== undefined) return known;
    const gid = batch.addressBytes.slice(16 * index, 16 * index + 16);
    const ipv4 = gidToIpv4(gid);
    if ((ipv4 !== null) !== (this.endpoint.version === 4)) return null;
    const scoped = gid[0] === 0xfe && this.endpoint.zone !== '' ? `%${this.endpoint.zone}` : '';
    const text = ipv4 === null ? `${formatGidShort(gid)}${scoped}` : formatIpv4Address(ipv4);
    if (this.addressTexts.size >= MOST_ADDRESSES) this.addressTexts.clear();
    this.addressTexts.set(key, text);
    return text;
  }

  private onMessage(message: Uint8Array, from: RemoteInfo): void {
    const { batch, listener } = this;
    if (listener === null || this.closed) return;
    batch.clear();
    const at = batch.open(message.length);
    batch.bytes.set(message, at);
    const index = batch.commit(at + message.length, this.wordsOf(from.address), 0);
    batch.sourcePort[index] = from.port;
    batch.fragmentWord[index] = SENT_FRAGMENT_WORD;
    this.receivedDatagrams++;
    this.receivedBytes += message.length;
    listener.received(batch);
  }

  private wordsOf(address: string): Uint32Array {
    let words = this.addressWords.get(address);
    if (words === undefined) {
      words = new Uint32Array(gidOfText(address).slice().buffer);
      if (this.addressWords.size >= MOST_ADDRESSES) this.addressWords.clear();
      this.addressWords.set(address, words);
    }
    return words;
  }

  poll(): boolean {
    return false;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      link_tx_datagrams: this.sentDatagrams,
      link_tx_bytes: this.sentBytes,
      link_tx_errors: this.sendErrors,
      link_rx_datagrams: this.receivedDatagrams,
      link_rx_bytes: this.receivedBytes,
    };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.listener = null;
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }
}

function abilitiesOf(endpoint: IpEndpoint, reason: string, receiveBufferBytes: number): LinkAbilities {
  const limits = [
    `plain node:dgram, because ${reason}`,
    'one datagram a system call: a fraction of the speed',
    'ECN bits are neither seen nor set',
  ];
  if (endpoint.version === 4)
    limits.push(
      'IPv4: a UDP socket does not show the identification, so 16 bits of an ICRC are checked',
      'IPv4: the identification of what is sent is not known, so peers other than Kelpie drop it',
    );
  else limits.push('IPv6: datagrams with UDP checksum 0, which Linux sends, are not received');
  return {
    ecnRead: false,
    ecnSet: false,
    icrc: { ipv4: '16 bits', ipv6: 'full' },
    icrcSent: { ipv4: false, ipv6: true },
    maxDatagramBytes: longestDatagram(endpoint),
    batching: 'single',
    receiveBufferBytes,
    limits,
  };
}
