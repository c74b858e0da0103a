/** Puts frames on the wires of a switch's ports: who has one knows the cables and the clock. */
export interface Transmitter {
  readonly nowNs: number;
  /** Sends a record of this many bytes. The port must be idle; it is busy until the last bit is out. */
  send(port: number, record: number, bytes: number): void;
}
