import { macOf, type PacketRecorder, type RecordedPacket } from '../../../link/index.js';

/** The port of a device as an interface of a capture. */
export class CapturedPort {
  readonly name: string;
  /** As the capture's Ethernet headers have it. */
  readonly mac: number;
  private readonly recorder: PacketRecorder;
  private readonly interfaceId: number;

  constructor(recorder: PacketRecorder, name: string, gid: Uint8Array) {
    this.name = name;
    this.mac = macOf(gid);
    this.recorder = recorder;
    this.interfaceId = recorder.addInterface(name);
  }

  /** Whether there is no room for more. */
  get isFull(): boolean {
    return this.recorder.isFull;
  }

  /** Records a datagram that arrived here. */
  arrived(packet: RecordedPacket, bytes: Uint8Array, end: number): void {
    this.recorder.record(packet, bytes, 0, end, { interfaceId: this.interfaceId, direction: 'inbound' });
  }

  /** Records a frame that passed here. */
  passed(timeNs: number, frame: Uint8Array, direction: 'inbound' | 'outbound'): void {
    this.recorder.recordFrame(timeNs, frame, { interfaceId: this.interfaceId, direction });
  }
}
