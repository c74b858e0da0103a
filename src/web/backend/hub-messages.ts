import type { DeskCall, DeskReply } from '../../laboratory/desk/desk-port.js';

/**
 * What the page tells its hub. A worker of the crew begins in the page, which hands the hub a port to it: Firefox can come
 * to a halt where a worker begins others.
 */
export type ToHub =
  | DeskCall
  | { readonly kind: 'hired'; readonly member: number; readonly port: MessagePort }
  | { readonly kind: 'lost'; readonly member: number; readonly message: string };

/** What the hub tells its page. */
export type FromHub =
  | DeskReply
  | { readonly kind: 'hire'; readonly member: number }
  | { readonly kind: 'dismiss'; readonly member: number };

/** What a worker of the crew is told first: where its tasks come from. */
export interface ToCrew {
  readonly port: MessagePort;
}
