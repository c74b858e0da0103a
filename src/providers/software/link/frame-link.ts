import { createSocket, type Socket } from 'node:dgram';
import { EthernetLink, type FrameCarrier, type Link, type Schedule } from '../../../link/index.js';
import { parseMac } from '../../../wire/index.js';
import { parseEndpoint } from './ip-endpoint.js';

/** Where frames come from and go to, and who the station on them is. */
export interface FrameLinkOptions {
  /** The UDP port of this machine that frames arrive at: QEMU's `remote.port`. */
  localPort: number;
  /** The UDP port of this machine that frames go to: QEMU's `local.port`. */
  remotePort: number;
  /** The station's MAC address, as `02:00:00:00:77:01`. */
  mac: string;
  /** The station's addresses, IPv4 and IPv6. */
  addresses: readonly string[];
  /** The largest IP packet; default: 4500, which carries a path MTU of 4096. */
  mtuBytes?: number;
}

const LOOPBACK = '127.0.0.1';
/** Frames handed to Node that have not left. */
const MOST_WAITING = 256;

/**
 * Opens a link of raw Ethernet frames, one a UDP datagram on the loopback, as QEMU's `-netdev dgram` carries them: a
 * virtual machine as the peer, with no privileges.
 *
 * @example
 * const mac = '02:00:00:00:77:01';
 * const link = await openFrameLink({ localPort: 5556, remotePort: 5555, mac, addresses: ['10.77.0.1'] });
 */
export async function openFrameLink(options: FrameLinkOptions): Promise<Link> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address: LOOPBACK, port: options.localPort, exclusive: true }, () => {
      socket.off('error', reject);
      resolve();
    });
  });
  const port = new SocketFrames(socket, options.remotePort);
  const link = new EthernetLink(
    port,
    {
      name: `frames ${options.localPort}`,
      mac: parseMac(options.mac),
      gids: options.addresses.map((address) => parseEndpoint(address).gid),
      mtuBytes: options.mtuBytes ?? 4500,
    },
    scheduleTimeout,
  );
  port.link = link;
  socket.on('message', (frame) => link.onFrame(frame));
  socket.on('error', (error) => link.failed(error));
  return link;
}

/** Waits with Node's own timers, which do not keep the process alive. */
export const scheduleTimeout: Schedule = (delayNs, task) =>
  void setTimeout(task, Math.max(1, delayNs / 1e6)).unref();

class SocketFrames implements FrameCarrier {
  link: EthernetLink | null = null;
  private readonly socket: Socket;
  private readonly remotePort: number;
  private waiting = 0;
  private full = false;

  constructor(socket: Socket, remotePort: number) {
    this.socket = socket;
    this.remotePort = remotePort;
  }

  hasRoom(): boolean {
    if (this.waiting < MOST_WAITING) return true;
    this.full = true;
    return false;
  }

  sendFrame(frame: Uint8Array): void {
    this.waiting++;
    // Node sends later, and the frame is its owner's again when this returns.
    this.socket.send(frame.slice(), this.remotePort, LOOPBACK, this.onSent);
  }

  /** A frame that could not be sent is lost, as frames are. */
  private readonly onSent = (): void => {
    this.waiting--;
    if (!this.full || this.waiting > MOST_WAITING / 2) return;
    this.full = false;
    this.link?.writable();
  };

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }
}
