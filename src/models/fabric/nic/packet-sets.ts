/** A set of packet numbers per flow, all within a window: a ring of bits each. */
export class PacketSets {
  private readonly bits: Int32Array;
  private readonly mask: number;
  private readonly wordsPerFlow: number;

  /** `windowPackets` is the most by which two members can differ, plus one. */
  constructor(flows: number, windowPackets: number) {
    const size = Math.max(32, 2 ** Math.ceil(Math.log2(windowPackets)));
    this.mask = size - 1;
    this.wordsPerFlow = size >> 5;
    this.bits = new Int32Array(flows * this.wordsPerFlow);
  }

  has(flow: number, packet: number): boolean {
    const place = packet & this.mask;
    return (this.bits[flow * this.wordsPerFlow + (place >> 5)] & (1 << (place & 31))) !== 0;
  }

  add(flow: number, packet: number): void {
    const place = packet & this.mask;
    this.bits[flow * this.wordsPerFlow + (place >> 5)] |= 1 << (place & 31);
  }

  delete(flow: number, packet: number): void {
    const place = packet & this.mask;
    this.bits[flow * this.wordsPerFlow + (place >> 5)] &= ~(1 << (place & 31));
  }
}
