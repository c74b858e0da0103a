import type { SendWr } from '../../verbs/index.js';
import { InterposedCompletionQueue } from './completion-queue.js';
import type { InterposedContext } from './context.js';
import { innerOf } from './interposed.js';

/** Whether a request names an object of the verbs, which the device must get as its own. */
function namesObject(wr: SendWr): boolean {
  switch (wr.opcode) {
    case 'WAIT':
    case 'ENABLE':
    case 'REG_MR':
    case 'BIND_MW':
      return true;
    case 'SEND':
    case 'SEND_WITH_IMM':
      return wr.ah !== undefined;
    default:
      return false;
  }
}

/** A request as the device takes it: the same, with the device's own objects in place of the tenant's. */
export function unwrapRequest(context: InterposedContext, wr: SendWr): SendWr {
  switch (wr.opcode) {
    case 'WAIT':
      if (wr.cq instanceof InterposedCompletionQueue) wr.cq.isWaitedOn = true;
      return { ...wr, cq: innerOf(context, wr.cq) };
    case 'ENABLE':
      return { ...wr, qp: innerOf(context, wr.qp) };
    case 'REG_MR':
      return { ...wr, mr: innerOf(context, wr.mr) };
    case 'BIND_MW':
      return { ...wr, mw: innerOf(context, wr.mw), mr: innerOf(context, wr.mr) };
    case 'SEND':
    case 'SEND_WITH_IMM':
      return wr.ah === undefined ? wr : { ...wr, ah: innerOf(context, wr.ah) };
    default:
      return wr;
  }
}

/** One request or several, as the device takes them; without objects in them they are the same ones. */
export function unwrapRequests(
  context: InterposedContext,
  wr: SendWr | readonly SendWr[],
): SendWr | readonly SendWr[] {
  if (!Array.isArray(wr)) return unwrapRequest(context, wr as SendWr);
  const list = wr as readonly SendWr[];
  return list.some(namesObject) ? list.map((each) => unwrapRequest(context, each)) : list;
}
