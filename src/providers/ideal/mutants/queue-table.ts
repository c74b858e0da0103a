import type { Mutant } from './mutant.js';

const completionQueue = 'verbs/base/objects/completion-queue.ts';
const sendQueue = 'verbs/base/queues/send-queue.ts';
const receiveQueue = 'verbs/base/queues/receive-queue.ts';
const sharedReceiveQueue = 'verbs/base/objects/shared-receive-queue.ts';
const mailbox = 'verbs/base/queues/mailbox.ts';

/** Faults in completion queues, channels, shared receives, the order of requests, WAIT and ENABLE. */
export const QUEUE_MUTANTS: readonly Mutant[] = [
  {
    what: 'a completion queue is a stack',
    file: completionQueue,
    search:
      'if (this.tail === NO_SLOT) this.head = slot;\n    else cqes.next[this.tail] = slot;\n    this.tail = slot;',
    replace:
      'cqes.next[slot] = this.head;\n    this.head = slot;\n    if (this.tail === NO_SLOT) this.tail = slot;',
    breaks: [
      /CQ: poll takes one at a time/,
      /CQ: pollInto/,
      /CQ: resize keeps/,
      /complete in the order of posting/,
      /messages fill the receives/,
      /with sqSigAll/,
    ],
  },
  {
    what: 'poll takes everything',
    file: completionQueue,
    search: 'while (found.length < max && this.head !== NO_SLOT) {',
    replace: 'while (max > -1 && this.head !== NO_SLOT) {',
    breaks: [/poll takes at most/, /poll takes one at a time/],
  },
  {
    what: 'poll gives the same object again',
    file: completionQueue,
    search: 'const completion = emptyWorkCompletion();',
    replace:
      'const completion = ((this as unknown as { last?: WorkCompletion }).last ??= emptyWorkCompletion());',
    breaks: [/a completion taken stays/],
  },
  {
    what: 'pollInto makes objects of its own',
    file: completionQueue,
    search: 'this.shiftInto(slots[filled++]);',
    replace: 'this.shiftInto((slots[filled++] = emptyWorkCompletion()));',
    breaks: [/CQ: pollInto/],
  },
  {
    what: 'completions do not know their queue pair',
    file: 'verbs/base/queues/cqe-pool.ts',
    search: 'into.qpNum = this.qpNum[slot];',
    replace: 'into.qpNum = 0;',
    breaks: [
      /one queue serves sends and receives/,
      /64 queue pairs/,
      /^(RC|UC) \w+: .* arrive complete/,
      /first come, first served/,
      /WAIT completes as WAIT/,
    ],
  },
  {
    what: 'a completion queue holds one less',
    file: completionQueue,
    search: 'this.cqe = options.cqe;',
    replace: 'this.cqe = options.cqe - 1;',
    breaks: [/it holds at least/],
  },
  {
    what: 'resize does nothing',
    file: completionQueue,
    search: 'this.context.device.maxCqe);\n    this.cqe = cqe;',
    replace: 'this.context.device.maxCqe);',
    breaks: [/CQ: resize keeps/, /CQ: resize gives/],
  },
  {
    what: 'a full completion queue takes more',
    file: completionQueue,
    search: 'this.count >= this.cqe',
    replace: 'this.count < 0',
    breaks: [/an overrun kills/],
  },
  {
    what: 'the last place of a completion queue is an overrun',
    file: completionQueue,
    search: 'this.count >= this.cqe',
    replace: 'this.count >= this.cqe - 1',
    breaks: [/exactly as many completions/, /resize gives the room/],
  },
  {
    what: 'an overrun spares the queue pairs',
    file: completionQueue,
    search: 'if (qp.sendCq === this || qp.recvCq === this) qp.enterError();',
    replace: 'if (qp.sendCq === this) qp.enterError();',
    breaks: [/an overrun kills/],
  },
  {
    what: 'completions outlive their queue pair',
    file: completionQueue,
    search: 'if (cqes.qpNum[slot] !== qp.qpNum) {',
    replace: 'if (cqes.qpNum[slot] !== -1) {',
    breaks: [/removes its completions and leaves/],
  },
  {
    what: 'destroying a queue pair removes the completions of others',
    file: completionQueue,
    search: 'if (cqes.qpNum[slot] !== qp.qpNum) {',
    replace: 'if (cqes.qpNum[slot] === -1) {',
    breaks: [/removes its completions and leaves/],
  },
  {
    what: 'time stamps are all zero',
    file: 'verbs/base/queues/cqe-pool.ts',
    search: 'into.timestampNs = this.timestampNs[slot];',
    replace: 'into.timestampNs = 0;',
    breaks: [/time stamps/],
  },
  {
    what: 'no event is ever raised',
    file: completionQueue,
    search: 'this.channel?.events.put(this);',
    replace: '',
    breaks: [
      /raises one event for the queue/,
      /a program that only waits/,
      /asking once gives/,
      /solicitedOnly/,
      /widens the wish/,
      /two queues share/,
      /completion channel: an abort/,
    ],
  },
  {
    what: 'one wish gives many events',
    file: completionQueue,
    search: 'this.armed = Armed.NO;\n',
    replace: '',
    breaks: [/asking once gives/],
  },
  {
    what: 'events come unasked',
    file: completionQueue,
    search: 'if (this.armed === Armed.ANY || (',
    replace: 'if (this.count > 0 || (',
    breaks: [/without asking/, /before asking raise none/, /solicitedOnly waits/],
  },
  {
    what: 'asking raises an event for what is there',
    file: completionQueue,
    search: '// Asking for the next completion covers',
    replace:
      'if (this.count > 0) this.channel?.events.put(this);\n    // Asking for the next completion covers',
    breaks: [/before asking raise none/],
  },
  {
    what: 'every completion counts as solicited',
    file: completionQueue,
    search: '(solicited || failed)',
    replace: '(solicited || failed || this.count > 0)',
    breaks: [/solicitedOnly waits/],
  },
  {
    what: 'no message is solicited',
    file: completionQueue,
    search: '(solicited || failed)',
    replace: 'failed',
    breaks: [/solicitedOnly waits/, /by a solicited WRITE/],
  },
  {
    what: 'failures are not solicited',
    file: completionQueue,
    search: '(solicited || failed)',
    replace: '(solicited || (failed && this.dead))',
    breaks: [/raised by a failed completion/],
  },
  {
    what: 'a wish for solicited completions stays narrow',
    file: completionQueue,
    search: 'if (!options.solicitedOnly) this.armed = Armed.ANY;',
    replace: 'if (!options.solicitedOnly && this.armed === Armed.NO) this.armed = Armed.ANY;',
    breaks: [/widens the wish/],
  },
  {
    what: 'waiting for an event lets no time pass',
    file: 'verbs/base/objects/completion-channel.ts',
    search: 'if (this.events.awaited) this.context.carrier.waiting(this.events);',
    replace: '',
    breaks: [/a program that only waits/],
  },
  {
    what: 'an abort is not heard',
    file: mailbox,
    search: "signal?.addEventListener('abort', abort, { once: true });",
    replace: '',
    breaks: [/completion channel: an abort/, /getAsyncEvent ends with an abort/],
  },
  {
    what: 'an aborted wait swallows the next event',
    file: mailbox,
    search: 'this.waiters = this.waiters.filter((each) => each !== waiter);',
    replace: '',
    breaks: [/completion channel: an abort/, /getAsyncEvent ends with an abort/],
  },
  {
    what: 'WAIT waits for nothing',
    file: completionQueue,
    search: 'if (this.generated - this.waitConsumed >= count) {',
    replace: 'if (count >= 0) {',
    breaks: [
      /WAIT holds everything/,
      /every WAIT consumes/,
      /chains one message/,
      /one queue paces another/,
      /a held queue is flushed/,
    ],
  },
  {
    what: 'WAIT waits for one more',
    file: completionQueue,
    search: 'if (this.generated - this.waitConsumed >= count) {',
    replace: 'if (this.generated - this.waitConsumed > count) {',
    breaks: [/WAIT for zero/, /WAIT completes as/, /WAIT holds everything/],
  },
  {
    what: 'WAIT sees only completions that nobody polled',
    file: completionQueue,
    search: 'if (this.generated - this.waitConsumed >= count) {',
    replace: 'if (this.count >= count) {',
    breaks: [/WAIT counts completions/],
  },
  {
    what: 'WAIT uses nothing up',
    file: completionQueue,
    search: 'this.waitConsumed += count;',
    replace: '',
    breaks: [/every WAIT consumes/],
  },
  {
    what: 'WAIT and ENABLE complete as each other',
    file: 'verbs/base/codes.ts',
    search: 'WcOp.WAIT,\n  WcOp.ENABLE,',
    replace: 'WcOp.ENABLE,\n  WcOp.WAIT,',
    breaks: [/WAIT completes as/, /executes nothing until it is enabled/],
  },
  {
    what: 'managed queue pairs execute unasked',
    file: sendQueue,
    search: 'if (qp.managedSend && this.enabled === 0) return NO_SLOT;',
    replace: '',
    breaks: [/executes nothing until it is enabled/, /ENABLE lets as many/, /one queue paces another/],
  },
  {
    what: 'ENABLE lets everything go',
    file: sendQueue,
    search: 'this.enabled += count;',
    replace: 'this.enabled += 1000 * count;',
    breaks: [/ENABLE lets as many/],
  },
  {
    what: 'unsignalled requests complete',
    file: sendQueue,
    search: 'if (status === Status.SUCCESS && (wqes.flags[wqe] & WqeFlag.SIGNALED) === 0) {',
    replace: 'if (status === -1) {',
    breaks: [/unsignalled requests complete silently/, /fill the queue for good/],
  },
  {
    what: 'unsignalled requests fail silently',
    file: sendQueue,
    search: 'if (status === Status.SUCCESS && (wqes.flags[wqe] & WqeFlag.SIGNALED) === 0) {',
    replace: 'if ((wqes.flags[wqe] & WqeFlag.SIGNALED) === 0) {',
    breaks: [/an unsignalled request that fails/, /the send queue is flushed, then/],
  },
  {
    what: 'sqSigAll is ignored',
    file: 'verbs/base/queues/post-send.ts',
    search: 'wr.signaled === true || qp.sqSigAll ?',
    replace: 'wr.signaled === true ?',
    breaks: [/with sqSigAll/],
  },
  {
    what: 'fences are ignored by a device that fetches data early',
    file: sendQueue,
    search: 'const fenced = (wqes.flags[wqe] & WqeFlag.FENCE) !== 0 && this.readsInFlight > 0;',
    replace: 'const fenced = false;',
    also: [
      {
        file: 'providers/ideal/fabric.ts',
        search: 'if (endpoint.onTheWay === NO_SLOT) endpoint.onTheWay = wqe;',
        replace: `if (endpoint.onTheWay === NO_SLOT) endpoint.onTheWay = wqe;
          const { wqes, memory } = endpoint.qp.context;
          const first = wqes.sgeStart[wqe];
          if (gathers(wqes.opcode[wqe]) && wqes.sgeCount[wqe] === 1) {
            memory.checkLocal(endpoint.qp.pd.handle, wqes.sges.lkey[first], wqes.sges.addr[first], wqes.length[wqe], false);
            wqes.extra[wqe] = memory.bytes[memory.found]!.slice(memory.position, memory.position + wqes.length[wqe]);
            wqes.flags[wqe] |= 8;
          }`,
      },
    ],
    breaks: [/a fenced SEND behind a READ/, /a fenced WRITE behind an atomic/],
  },
  {
    what: 'a READ that ends lets nobody go on',
    file: sendQueue,
    search: 'this.held = false;\n        qp.context.carrier.sendReady(qp);',
    replace: 'this.held = false;',
    breaks: [/more READs than maxRdAtomic/, /a fenced SEND behind a READ/, /a fenced WRITE behind an atomic/],
  },
  {
    what: 'receives are a stack',
    file: receiveQueue,
    search:
      'if (this.tail === NO_SLOT) this.head = wqe;\n    else wqes.next[this.tail] = wqe;\n    this.tail = wqe;',
    replace:
      'wqes.next[wqe] = this.head;\n    this.head = wqe;\n    if (this.tail === NO_SLOT) this.tail = wqe;',
    breaks: [/SRQ: queue pairs take receives/, /SRQ: a list of receives/, /messages fill the receives/],
  },
  {
    what: 'the limit of an SRQ is never reached',
    file: sharedReceiveQueue,
    search: 'if (this.receives.waiting >= this.limit) return;',
    replace: 'if (this.receives.waiting >= 0) return;',
    breaks: [/falling below the limit/],
  },
  {
    what: 'the limit of an SRQ stays armed',
    file: sharedReceiveQueue,
    search: 'this.limit = 0;\n',
    replace: '',
    breaks: [/falling below the limit/],
  },
  {
    what: 'the limit of an SRQ comes one early',
    file: sharedReceiveQueue,
    search: 'if (this.receives.waiting >= this.limit) return;',
    replace: 'if (this.receives.waiting > this.limit) return;',
    breaks: [/falling below the limit/],
  },
  {
    what: 'a limit of zero is ignored',
    file: sharedReceiveQueue,
    search: 'this.limit = limit;',
    replace: 'this.limit = limit || this.limit;',
    breaks: [/a limit of zero disarms/],
  },
  {
    what: 'queue pairs with an SRQ take receives of their own',
    file: 'verbs/base/objects/queue-pair.ts',
    search: 'if (this.srq !== null) {\n      const detail',
    replace: 'if (this.destroyed) {\n      const detail',
    breaks: [/postRecv on a queue pair that uses one/],
  },
  {
    what: 'a queue pair that fails flushes its SRQ',
    file: 'verbs/base/objects/queue-pair.ts',
    search: 'if (this.srq !== null) return;\n',
    replace: '',
    breaks: [/SRQ: its receives outlive/],
  },
];
