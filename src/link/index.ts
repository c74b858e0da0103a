/**
 * Links: what carries whole RoCEv2 datagrams, whatever lies below, and the middlewares around them: capture, faults,
 * statistics. Nothing here knows sockets; those are the providers'.
 *
 * @example
 * import { Access, connectRcPair, waitForCompletion } from 'kelpie';
 * import { capture, FaultPlan, faults, PacketRecorder, withMiddlewares } from 'kelpie/link';
 * import { loopbackAddress, scheduleTimeout, SoftwareProvider } from 'kelpie/software';
 *
 * // The first packet is lost once; the recorder sees it, and its second transmission.
 * const plan = new FaultPlan({ rules: [{ action: 'drop', direction: 'sent', psn: 0, transmission: 1 }] });
 * const recorder = new PacketRecorder('example', () => {});
 * const nowNs = () => BigInt(Date.now()) * 1_000_000n;
 * const sender = new SoftwareProvider({
 *   wrapLink: (link) =>
 *     withMiddlewares(link, [capture({ recorder, nowNs, only: 'sent' }), faults(plan, scheduleTimeout)]),
 * });
 * const receiver = new SoftwareProvider();
 * const contexts = [await sender.open(loopbackAddress(12)), await receiver.open(loopbackAddress(13))] as const;
 * const [a, b] = connectRcPair(...contexts);
 * const target = b.pd.regMr(new Uint8Array(64), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
 * const source = a.pd.regMr(new Uint8Array(64), Access.LOCAL_WRITE);
 * const sgList = [{ addr: source.addr, length: 64, lkey: source.lkey }];
 * a.qp.postSend({ opcode: 'RDMA_WRITE', sgList, remoteAddr: target.iova, rkey: target.rkey, signaled: true });
 * const { status } = await waitForCompletion(a.sendCq);
 * console.log(status, recorder.packets); // SUCCESS 2
 * await Promise.all(contexts.map((context) => context.close()));
 *
 * @module
 */
export * from './datagram-batch.js';
export * from './ethernet/index.js';
export * from './icrc-flow.js';
export * from './identification-basis.js';
export * from './link.js';
export * from './middleware/index.js';
