import type { Random } from '../../engine/index.js';
import { CreditWindow } from '../resource/credit-window.js';
import { FluidServer } from '../resource/fluid-server.js';

/** What a host's ordering point costs; times are in picoseconds. */
export interface OrderingPointOptions {
  /** How long a byte takes in the pipeline, which DMA of both directions shares. */
  psPerByte: number;
  /** Bytes that the pipeline holds: longer transfers keep it full while it turns. */
  depthBytes: number;
  /** How long it takes to drain and turn, where long transfers of the other direction are in it. */
  turnPs: number;
  /** Posted bytes that a device may have on their way through it. */
  postedBytes: number;
}

/** The two directions of DMA. */
const READS = 0;
const WRITES = 1;

/**
 * The point in a host at which DMA of a device that may not be reordered passes in the order in which it came: a read may
 * not pass a posted write (PCIe's ordering rules), and here a request is held by the one before it (Collie #9). It is a
 * pipeline of a depth: what passes takes its time by bytes. A transfer shorter than the pipeline leaves a part of it
 * empty, which shows where it comes behind long ones of the other direction: the pipeline drains and turns first. The
 * shorter it is, and the longer those are, the more of a turn it costs on average; how long a turn takes in a full
 * pipeline depends on what is in it, and is drawn.
 */
export class OrderingPoint {
  /** Time spent turning, and how often. */
  turnedPs = 0;
  turns = 0;
  /** Time spent turning, and that which payload took to pass. */
  usedPs = 0;
  private readonly options: OrderingPointOptions;
  private readonly random: Random;
  private readonly server = new FluidServer();
  private readonly posted: CreditWindow;
  /** By direction: how much of the pipeline its last transfers fill, 0 to 1, and when they passed. */
  private readonly filled = new Float64Array(2);
  private readonly passedPs = new Float64Array(2).fill(Number.NEGATIVE_INFINITY);

  constructor(options: OrderingPointOptions, random: Random) {
    this.options = options;
    this.random = random;
    this.posted = new CreditWindow(options.postedBytes);
  }

  /** How long a control structure, such as a WQE or a completion, waits for what came before it. */
  waitPs(nowPs: number): number {
    return this.server.waitPs(nowPs);
  }

  /** Payload is read, with which so many bytes of its message are; returns when the read has passed. */
  read(nowPs: number, bytes: number, soFarBytes: number): number {
    this.note(READS, nowPs, soFarBytes);
    return this.pass(nowPs, nowPs, bytes);
  }

  /** When posted credit for a write is there. */
  admitPs(nowPs: number, bytes: number): number {
    return this.posted.admitPs(nowPs, bytes);
  }

  /** Payload that arrives then is written; its credit comes back when it has passed. */
  write(nowPs: number, arrivalPs: number, bytes: number, soFarBytes: number): void {
    this.note(WRITES, nowPs, soFarBytes);
    this.posted.take(bytes, this.pass(nowPs, arrivalPs, bytes));
  }

  /** An element of a message begins that is gathered by reads, or scattered by writes. */
  element(nowPs: number, bytes: number, gathered: boolean): void {
    const { depthBytes, turnPs } = this.options;
    if (bytes >= depthBytes) return;
    const other = gathered ? WRITES : READS;
    const age = (nowPs - this.passedPs[other]) / turnPs;
    if (age >= 1) return;
    const meanPs = turnPs * (1 - bytes / depthBytes) * this.filled[other] * (1 - age);
    if (meanPs <= 0) return;
    // With an empty pipeline a turn takes what it takes; the fuller it is, the more that depends on what is in it.
    const waiting = this.server.waitPs(nowPs) / (depthBytes * this.options.psPerByte);
    const drawn = waiting > 1 ? 1 : waiting;
    const costPs = drawn === 0 ? meanPs : meanPs * (1 - drawn) + drawn * this.random.nextExponential(meanPs);
    this.turns++;
    this.turnedPs += costPs;
    this.usedPs += costPs;
    this.server.book(nowPs, nowPs, costPs);
  }

  private pass(nowPs: number, arrivalPs: number, bytes: number): number {
    const servicePs = bytes * this.options.psPerByte;
    this.usedPs += servicePs;
    return this.server.book(nowPs, arrivalPs, servicePs);
  }

  /** Twice the depth of one message keep the pipeline full, in however many packets; up to its depth none does. */
  private note(direction: number, nowPs: number, soFarBytes: number): void {
    const filled = soFarBytes / this.options.depthBytes - 1;
    this.filled[direction] = filled < 0 ? 0 : filled > 1 ? 1 : filled;
    this.passedPs[direction] = nowPs;
  }
}
