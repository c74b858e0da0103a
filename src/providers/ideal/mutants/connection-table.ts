import type { Mutant } from './mutant.js';

const manager = 'providers/cm/connection-manager.ts';
const connection = 'providers/cm/connection.ts';
const request = 'providers/cm/connection-request.ts';
const service = 'providers/cm/connection-service.ts';
const bringUp = 'providers/cm/bring-up.ts';
const requirements = 'providers/cm/requirements.ts';
const agent = 'transport/cm/agent.ts';
const machine = 'transport/cm/connection.ts';

/** Faults in connection management. */
export const CONNECTION_MUTANTS: readonly Mutant[] = [
  {
    what: 'the queue pairs of a connection expect each other’s PSNs',
    file: bringUp,
    search: 'sqPsn: way.sqPsn,',
    replace: 'sqPsn: way.rqPsn,',
    breaks: [
      /connections: a client connects by address and port/,
      /connections: a connection from a device to itself/,
      /connections: eight clients at once/,
      /connections: receives posted in INIT/,
    ],
  },
  {
    what: 'the private data of an acceptance is lost',
    file: connection,
    search: 'this.privateData = this.manager.service.programData(rep.privateData);',
    replace: 'this.privateData = new Uint8Array(rep.privateData.length);',
    breaks: [/connections: private data goes with/],
  },
  {
    what: 'the private data of a request is lost',
    file: 'transport/cm/request.ts',
    search: 'joined.set(given, RDMA_CM_HEADER_BYTES);',
    replace: '',
    breaks: [/connections: private data goes with/, /connections: a request says who asks/],
  },
  {
    what: 'a queue pair in INIT begins anew',
    file: bringUp,
    search: "if (qp.state !== 'INIT') qp.modify({",
    replace: "leave(qp, 'RESET'); qp.modify({",
    breaks: [/connections: receives posted in INIT/],
  },
  {
    what: 'each side takes what it offers for agreed',
    file: manager,
    search: 'const responderResources = Math.min(offered.responderResources, req.initiatorDepth);',
    replace: 'const responderResources = offered.responderResources;',
    breaks: [/connections: READs and atomics at a time/],
  },
  {
    what: 'the reason of a refusal is another',
    file: agent,
    search: 'if (!this.listeners.has(req.serviceId)) return REJ_REASON.invalidServiceId;',
    replace: 'if (!this.listeners.has(req.serviceId)) return REJ_REASON.noResources;',
    breaks: [/connections: nobody listens/],
  },
  {
    what: 'requests for a port where nobody listens are not answered',
    file: agent,
    search: 'if (reason !== 0) { this.refuse(req, source, reason); return; }',
    replace: 'if (reason !== 0) return;',
    breaks: [
      /connections: nobody listens/,
      /connection rules: a listener that is closed/,
      /connection rules: a closed manager refuses/,
    ],
  },
  {
    what: 'the private data of a rejection is lost',
    file: request,
    search: 'this.connection.reject(reason, privateData);',
    replace: 'this.connection.reject(reason);',
    breaks: [/connections: a program says no/],
  },
  {
    what: 'a queue pair stays taken when its connection came to nothing',
    file: service,
    search: 'this.busy.delete(qpNum);',
    replace: '',
    breaks: [/connections: a queue pair that was rejected/],
  },
  {
    what: 'a queue pair can be connected twice at a time',
    file: service,
    search: 'if (this.busy.has(qpNum)) return false;',
    replace: '',
    breaks: [/connection rules: a queue pair that is being connected/],
  },
  {
    what: 'nobody gives up',
    file: machine,
    search: 'if (this.retriesLeft > 0 && nowNs < this.expiresNs) {',
    replace: 'if (true) {',
    breaks: [/connections: nobody answers/],
  },
  {
    what: 'queue pairs live on when their connection has ended',
    file: connection,
    search: "private end(): void { leave(this.qp, 'ERR');",
    replace: 'private end(): void {',
    breaks: [/disconnects: both queue pairs are in ERR/],
  },
  {
    what: 'nobody is told of the end by an event',
    file: connection,
    search: "this.manager.put({ type: 'DISCONNECTED', connection: this }); this.end();",
    replace: 'this.end();',
    breaks: [/disconnects: both queue pairs are in ERR/],
  },
  {
    what: 'handlers are not called',
    file: manager,
    search: 'if (this.handler === undefined) {',
    replace: 'if (true) {',
    breaks: [/connections: a handler gets/, /connection rules: what a handler throws/],
  },
  {
    what: 'what a handler throws is forgotten',
    file: manager,
    search: 'this.manager.fault(error, this.port);',
    replace: '',
    breaks: [/connection rules: what a handler throws/],
  },
  {
    what: 'every request is for RC',
    file: manager,
    search: "transportServiceType: TRANSPORT_SERVICE_TYPE[qp.qpType === 'UC' ? 'uc' : 'rc'],",
    replace: '',
    breaks: [/connections: UC is connected too/],
  },
  {
    what: 'two can listen at a port',
    file: service,
    search: 'if (this.owners.has(port)) throw new VerbsError(',
    replace: 'if (port < 0) throw new VerbsError(',
    also: [
      {
        file: agent,
        search: 'if (this.listeners.has(serviceId)) {',
        replace: 'if (serviceId < 0n) {',
      },
    ],
    breaks: [/connection rules: a port is one listener/],
  },
  {
    what: 'a closed listener keeps its port',
    file: service,
    search: 'this.agent.unlisten(rdmaCmServiceId(port)); this.owners.delete(port);',
    replace: '',
    breaks: [/connection rules: a port is one listener/, /connection rules: a listener that is closed/],
  },
  {
    what: 'any port is always the same one',
    file: service,
    search: 'const port = asked === 0 ? this.freePort() : asked;',
    replace: 'const port = asked === 0 ? 40000 : asked;',
    breaks: [/connection rules: port 0 is any that is free/],
  },
  {
    what: 'numbers about connections are not checked',
    file: requirements,
    search: 'if (Number.isInteger(given) && given >= low && given <= high) return given;',
    replace: 'return given;',
    breaks: [
      /connection rules: port 0 is any that is free/,
      /connection rules: a target that is none/,
      /connection rules: an acceptance with a bad (responderResources|initiatorDepth|rnrRetryCount)/,
    ],
  },
  {
    what: 'private data may be longer than its field',
    file: requirements,
    search: 'if (given === undefined || (given instanceof Uint8Array && given.length <= most)) return;',
    replace: 'return;',
    breaks: [
      /connection rules: a target that is none/,
      /connection rules: an acceptance with a bad privateData/,
      /connection rules: a rejection with too much/,
    ],
  },
  {
    what: 'a request can be answered again',
    file: request,
    search: 'private requireUnanswered(): void { if (this.unanswered) return;',
    replace: 'private requireUnanswered(): void { if (this.manager) return;',
    breaks: [/connection rules: a request is answered once/],
  },
  {
    what: 'queue pairs of others are taken',
    file: manager,
    search: 'if (!this.owns(qp)) throw',
    replace: 'if (qp === null) throw',
    breaks: [/connection rules: a queue pair of another device/],
  },
  {
    what: 'queue pairs of any state and type are taken',
    file: manager,
    search: "const types = qpType === undefined ? ['RC', 'UC'] : [qpType];",
    replace: "const types = ['RC', 'UC', 'UD'];",
    also: [
      {
        file: manager,
        search: "if (qp.state === 'RESET' || qp.state === 'INIT') return;",
        replace: 'if (qp.state) return;',
      },
    ],
    breaks: [/connection rules: a queue pair that is up/],
  },
  {
    what: 'a queue pair that is gone is a fault',
    file: bringUp,
    search: "if (!(error instanceof VerbsError && error.code === 'OBJECT_DESTROYED')) throw error;",
    replace: 'throw error;',
    breaks: [/connection rules: a queue pair that its program destroyed/],
  },
  {
    what: 'a closed manager goes on',
    file: manager,
    search: 'private requireOpen(): void { if (this.closed) throw',
    replace: 'private requireOpen(): void { if (this.closed && !this.service) throw',
    breaks: [/connection rules: a closed manager refuses/],
  },
  {
    what: 'a closed manager leaves programs waiting',
    file: manager,
    search: 'this.events.refuseAll(new VerbsError(',
    replace: 'void (new VerbsError(',
    breaks: [/connection rules: closing a manager ends/],
  },
  {
    what: 'events are kept from whoever waits',
    file: manager,
    search: 'this.events.put(event);',
    replace: '',
    breaks: [/connection rules: getCmEvent waits/],
  },
];
