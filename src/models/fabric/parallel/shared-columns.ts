import type { Columns } from '../core/columns.js';

/** Columns that several threads see: made by the one that asks first, and found by name by the others. */
export class SharedColumns implements Columns {
  readonly buffers: ReadonlyMap<string, SharedArrayBuffer>;
  private readonly own: Map<string, SharedArrayBuffer>;

  /** `buffers` are those of the thread that made them. */
  constructor(buffers: ReadonlyMap<string, SharedArrayBuffer> = new Map()) {
    this.own = new Map(buffers);
    this.buffers = this.own;
  }

  int32(name: string, length: number): Int32Array {
    return new Int32Array(this.take(name, length * Int32Array.BYTES_PER_ELEMENT));
  }

  float64(name: string, length: number): Float64Array {
    return new Float64Array(this.take(name, length * Float64Array.BYTES_PER_ELEMENT));
  }

  private take(name: string, bytes: number): SharedArrayBuffer {
    const buffer = this.own.get(name) ?? new SharedArrayBuffer(bytes);
    this.own.set(name, buffer);
    return buffer;
  }
}
