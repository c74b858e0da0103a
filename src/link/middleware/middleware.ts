import type { DatagramBatch } from '../datagram-batch.js';
import type { Link, LinkAbilities, LinkListener } from '../link.js';

/** A link around another one. */
export type LinkMiddleware = (inner: Link) => Link;

/** Which way a datagram goes, seen from the device on the link. */
export type Direction = 'sent' | 'received';

/**
 * Puts middlewares around a link, the first one nearest to the device.
 *
 * @example
 * const link = withMiddlewares(udp, [capture({ write, nowNs }), faults(plan, schedule)]);
 * // The capture shows what the device sent, before any fault.
 */
export function withMiddlewares(link: Link, middlewares: readonly LinkMiddleware[]): Link {
  return middlewares.reduceRight((inner, middleware) => middleware(inner), link);
}

/** A link that does what the link inside it does; middlewares override what they change. */
export abstract class LinkAround implements Link, LinkListener {
  protected readonly inner: Link;
  protected listener: LinkListener | null = null;

  constructor(inner: Link) {
    this.inner = inner;
  }

  get name(): string {
    return this.inner.name;
  }

  get abilities(): LinkAbilities {
    return this.inner.abilities;
  }

  get gids(): readonly Uint8Array[] {
    return this.inner.gids;
  }

  get sourcePort(): number {
    return this.inner.sourcePort;
  }

  get port(): number {
    return this.inner.port;
  }

  createBatch(capacity: number, bytes: number): DatagramBatch {
    return this.inner.createBatch(capacity, bytes);
  }

  start(listener: LinkListener): void {
    this.listener = listener;
    this.inner.start(this);
  }

  send(batch: DatagramBatch, from: number): number {
    return this.inner.send(batch, from);
  }

  poll(): boolean {
    return this.inner.poll();
  }

  expect(): void {
    this.inner.expect?.();
  }

  counters(): Readonly<Record<string, number>> {
    return this.inner.counters();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  received(batch: DatagramBatch): void {
    this.listener?.received(batch);
  }

  writable(): void {
    this.listener?.writable();
  }

  failed(error: Error): void {
    this.listener?.failed(error);
  }
}
