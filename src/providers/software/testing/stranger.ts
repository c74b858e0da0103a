import { emitCm, type Gid, MAD_BYTES, type Req, rdmaCmServiceId } from '../../../wire/index.js';
import { exampleReq } from '../../../wire/testing/cm-samples.js';

/** A request for a connection in the name of any address: a whole management datagram. */
export function strangersReq(
  from: Gid,
  to: Gid,
  port: number,
  id: number,
  fields: Partial<Req> = {},
): Uint8Array {
  const req = exampleReq();
  const privateData = new Uint8Array(req.privateData.length);
  // RDMA-CM's header, version 0, IPv4: all that a server asks for.
  privateData[1] = 0x40;
  const bytes = new Uint8Array(MAD_BYTES);
  emitCm(
    {
      ...req,
      serviceId: rdmaCmServiceId(port),
      localCommunicationId: id,
      localQpn: strangersQpn(id),
      transportServiceType: 0,
      pathMtuCode: 3,
      primaryPath: { ...req.primaryPath, localGid: from, remoteGid: to },
      privateData,
      ...fields,
    },
    bytes,
    0,
  );
  return bytes;
}

/** The queue pair that a stranger says to have for a request. */
export function strangersQpn(id: number): number {
  return (id & 0xfffff) + 2;
}
