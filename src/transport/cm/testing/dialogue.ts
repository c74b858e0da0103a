import { emitCm, MAD_BYTES, rdmaCmServiceId } from '../../../wire/cm/index.js';
import { parseGid } from '../../../wire/ib/gid.js';
import { exampleReq } from '../../../wire/testing/cm-samples.js';
import type { CmConnection } from '../connection.js';
import type { CmBench } from './bench.js';

/** The service that is listened at. */
export const SERVICE = rdmaCmServiceId(7174);

/** Asks side 1 for a connection. */
export function open(bench: CmBench, options: { qpn?: number; responseTimeout?: number } = {}): CmConnection {
  return bench.agents[0].connect(
    {
      peer: bench.gids[1],
      localGid: bench.gids[0],
      serviceId: SERVICE,
      qpn: options.qpn ?? 0x11,
      startingPsn: 0x123456,
      pathMtuCode: 3,
      header: { ipVersion: 4, sourcePort: 4000, sourceAddress: 0x0a000001, destinationAddress: 0x0a000002 },
      privateData: Uint8Array.of(1, 2, 3),
      responderResources: 4,
      initiatorDepth: 8,
      responseTimeout: options.responseTimeout ?? 10,
    },
    bench.nowNs,
  );
}

/** A consumer that accepts on side 1 and brings up on side 0. */
export function accepting(bench: CmBench): void {
  bench.agents[1].listen(SERVICE);
  bench.onEvent = (_side, connection, event) => {
    if (event.kind === 'request') connection.reply({ qpn: 0x22, startingPsn: 0x654321 }, bench.nowNs);
    if (event.kind === 'reply') connection.ready();
  };
}

/** A message as a datagram. */
export function emitted(message: Parameters<typeof emitCm>[0]): Uint8Array {
  const bytes = new Uint8Array(MAD_BYTES);
  emitCm(message, bytes, 0);
  return bytes;
}

/** A request of a stranger: from any address, and with anything in it. */
export function strike(
  bench: CmBench,
  from: string,
  { id, ...fields }: { id: number } & Partial<Parameters<typeof emitCm>[0]>,
): void {
  const source = parseGid(from);
  const req = exampleReq();
  const privateData = new Uint8Array(req.privateData.length);
  privateData[1] = 0x40;
  bench.inject(
    1,
    emitted({
      ...req,
      serviceId: SERVICE,
      localCommunicationId: id,
      localQpn: id + 1,
      primaryPath: { ...req.primaryPath, localGid: source },
      privateData,
      ...fields,
    } as typeof req),
    source,
  );
}
