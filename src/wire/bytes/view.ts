import { requireRoom } from './field.js';
import { type Refusal, refusal } from './refusal.js';

/** What a view points at before it was wrapped and after a refusal. */
export const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * A checked window over the bytes of one header.
 *
 * A view is made once and pointed at one packet after another with {@link View.wrap}, so reading a packet allocates
 * nothing. After `wrap` returned null every getter of the subclass lies inside the window; after a refusal the view
 * points at nothing and its getters read zero.
 *
 * @example
 * const view = new BthView();
 * const refused = view.wrap(bytes, 42, bytes.length);
 * if (refused === null) console.log(view.psn);
 */
export abstract class View {
  /** The buffer the header lies in. */
  protected bytes: Uint8Array = NOTHING;
  /** Where in `bytes` the header begins. */
  protected offset = 0;
  /** Where in `bytes` the header and all that it may speak about ends. */
  protected end = 0;
  /** The name of the header, as it stands in refusals and errors. */
  readonly header: string;
  /** The least number of bytes that the header takes. */
  readonly minimumBytes: number;
  readonly #truncated: Refusal;

  constructor(header: string, minimumBytes: number) {
    this.header = header;
    this.minimumBytes = minimumBytes;
    this.#truncated = refusal(header, 'truncated');
  }

  /** Points the view at `bytes[offset, end)`; returns a refusal, and points at nothing, where the header does not hold. */
  wrap(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    if (!(offset >= 0 && end <= bytes.length && end - offset >= this.minimumBytes)) {
      this.release();
      return this.#truncated;
    }
    this.bytes = bytes;
    this.offset = offset;
    this.end = end;
    const refused = this.check();
    if (refused !== null) this.release();
    return refused;
  }

  /**
   * Points the view at room for a header of `size` bytes and clears it, reserved bits included; throws where there is no
   * room.
   */
  wrapForWriting(bytes: Uint8Array, offset: number, size: number = this.minimumBytes): void {
    requireRoom(this.header, bytes, offset, size);
    this.bytes = bytes;
    this.offset = offset;
    this.end = offset + size;
    bytes.fill(0, offset, this.end);
  }

  /** Points the view at nothing, so that it keeps no buffer alive. */
  release(): void {
    this.bytes = NOTHING;
    this.offset = 0;
    this.end = 0;
  }

  /** What a subclass checks beyond the least length, such as a length field that decides where the header ends. */
  protected check(): Refusal | null {
    return null;
  }
}
