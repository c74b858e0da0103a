import type { Mutant } from './mutant.js';

const deviceObject = 'verbs/base/objects/device-object.ts';
const device = 'providers/ideal/device.ts';
const capabilities = 'verbs/base/capabilities.ts';

/** Faults in lifetimes and in what a device says about itself. */
export const OBJECT_MUTANTS: readonly Mutant[] = [
  {
    what: 'objects in use can be destroyed',
    file: deviceObject,
    search: 'if (this.dependants > 0) {',
    replace: 'if (this.dependants < 0) {',
    breaks: [/is busy, and free afterwards/],
  },
  {
    what: 'destroyed objects are still there',
    file: deviceObject,
    search: 'if (this.destroyed || this.context.closed) {',
    replace: 'if (this.context.closed) {',
    breaks: [/that is gone refuses a second end/],
  },
  {
    what: 'objects of a closed device are still there',
    file: deviceObject,
    search: 'if (this.destroyed || this.context.closed) {',
    replace: 'if (this.destroyed) {',
    breaks: [/a closed device refuses/],
  },
  {
    what: 'destroying a queue pair flushes it',
    file: 'verbs/base/objects/queue-pair.ts',
    search: 'context.carrier.destroyed(this);\n    this.forgetRequests();',
    replace: 'context.carrier.destroyed(this);\n    this.sends.flush();',
    breaks: [/in flight makes no completions/],
  },
  {
    what: 'queue pair numbers repeat',
    file: 'verbs/base/qp-numbers.ts',
    search: 'const qpNum = this.nextNumber;',
    replace: 'const qpNum = FIRST_NUMBER + (this.nextNumber % 8);',
    breaks: [/numbers are not given twice/],
  },
  {
    what: 'a limit is a fraction',
    file: device,
    search: 'maxSge: 32,\n  maxSgeRd',
    replace: 'maxSge: 32.5,\n  maxSgeRd',
    breaks: [/queryDevice gives whole numbers/],
  },
  {
    what: 'a transport is missing without a reason',
    file: capabilities,
    search: "transports: ['RC', 'UC', 'UD'],",
    replace: "transports: ['RC', 'UC'],",
    breaks: [/a transport said to be missing/],
  },
  {
    what: 'transports that are missing are granted',
    file: 'verbs/base/objects/queue-pair.ts',
    search:
      'if (!context.capabilities.transports.includes(init.qpType)) throw context.unsupported(init.qpType);',
    replace: '',
    also: [
      {
        file: capabilities,
        search: "transports: ['RC', 'UC', 'UD'],",
        replace: "transports: ['RC', 'UC'],",
      },
      { file: capabilities, search: 'reasons: {', replace: "reasons: { UD: 'no datagrams here'," },
    ],
    breaks: [/a transport said to be missing/],
  },
  {
    what: 'what is missing is granted',
    file: 'verbs/base/objects/context.ts',
    search: 'if (this.capabilities[name]) return;',
    replace: 'return;',
    breaks: [/a feature said to be missing/],
  },
  {
    what: 'what is said to be there is refused',
    file: 'verbs/base/objects/context.ts',
    search: 'if (this.capabilities[name]) return;',
    replace: 'if (this.capabilities.packets) return;',
    breaks: [/a feature said to be missing/],
  },
  {
    what: 'operations are missing without a reason',
    file: capabilities,
    search: 'sendOpcodes: TRANSPORT_OPCODES,',
    replace: "sendOpcodes: { ...TRANSPORT_OPCODES, RC: ['SEND'] },",
    breaks: [/an operation said to be missing/],
  },
  {
    what: 'UD claims to write',
    file: 'verbs/base/codes.ts',
    search: "['SEND', 'SEND_WITH_IMM', 'WAIT', 'ENABLE']",
    replace: "['SEND', 'SEND_WITH_IMM', 'RDMA_WRITE', 'WAIT', 'ENABLE']",
    breaks: [/no transport claims/],
  },
  {
    what: 'there are places that nobody may use',
    file: 'verbs/base/objects/context.ts',
    search: 'return this.placementNames;',
    replace: "return ['nowhere'];",
    breaks: [/placements are empty/],
  },
  {
    what: 'a queue pair is granted less than it asked for',
    file: 'verbs/base/objects/queue-pair.ts',
    search: 'maxSendWr: asked.maxSendWr ?? 1,',
    replace: 'maxSendWr: 1,',
    breaks: [/granted at least what it asked for/],
  },
  {
    what: 'sleep is too short',
    file: 'providers/time/virtual-time.ts',
    search: 'Math.round(durationNs * this.ticksPerNs)',
    replace: 'Math.round((durationNs / 2) * this.ticksPerNs)',
    breaks: [/the clock never goes back/],
  },
  {
    what: 'the device counts nothing',
    file: 'providers/ideal/carrier.ts',
    search: 'return { ...this.device.counters };',
    replace: 'return this.device === null ? { x: 1 } : {};',
    breaks: [/counters are numbers/],
  },
];
