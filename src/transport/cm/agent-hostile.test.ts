import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type emitCm,
  emitCmService,
  MAD_BYTES,
  parseCm,
  REJ_REASON,
  type Rtu,
  rdmaCmServiceId,
  SIDR_STATUS,
} from '../../wire/cm/index.js';
import { parseGid, sameGid } from '../../wire/ib/gid.js';
import { exampleMessages, exampleReq } from '../../wire/testing/cm-samples.js';
import { CmBench } from './testing/bench.js';
import { accepting, emitted, open, SERVICE, strike } from './testing/dialogue.js';
import { Urgency } from './triage.js';

describe('against a hostile network', () => {
  it('bounds half-open requests, by peer and in all, the oldest making room, and forgets them in time', () => {
    const limits = { halfOpen: 20, halfOpenPerPeer: 8, challengeAbove: 1e9, challengeAbovePerPeer: 1e9 };
    const bench = new CmBench(1, () => [], { ...limits, consumerNs: 1e9, requestBurst: 1e6 });
    const [, victim] = bench.agents;
    victim.listen(SERVICE);
    for (let index = 0; index < 1000; index++) {
      strike(bench, `::ffff:10.0.${index % 5}.9`, { id: index + 1 });
      expect(victim.size).toBeLessThanOrEqual(20);
    }
    expect(victim.size).toBe(20);
    expect(victim.counters.evicted).toBe(980);
    // The newest are there: four of each peer.
    const evicted = bench.events.filter(({ event }) => event.kind === 'unreachable');
    expect(evicted.map(({ connection }) => connection.req.localCommunicationId)).toEqual(
      Array.from({ length: 980 }, (_, index) => index + 1),
    );
    bench.run();
    // Of the peers themselves their rate is remembered.
    expect([victim.size, victim.halfOpenCount, victim.peerCount]).toEqual([0, 0, 5]);
  });

  it('lets nobody keep an honest request out with requests that are never finished', () => {
    // By the code, each of these would be asked 16 times, 8796 seconds apart.
    const endless = { localCmResponseTimeout: 31, remoteCmResponseTimeout: 31, maxCmRetries: 15 };
    const bench = new CmBench(1);
    accepting(bench);
    for (let index = 0; index < 3000; index++)
      strike(bench, `::ffff:10.1.0.${index % 200}`, { ...endless, id: index + 1 });
    const active = open(bench, { responseTimeout: 17 });
    bench.run(bench.nowNs + 2e9);
    expect(active.state).toBe('ESTABLISHED');
    bench.run(bench.nowNs + 130e9);
    expect([bench.agents[1].size, bench.agents[1].halfOpenCount]).toEqual([1, 0]);
  });

  it('lets nobody keep an honest request out in its own name', () => {
    const bench = new CmBench(1);
    accepting(bench);
    for (let index = 0; index < 3000; index++) strike(bench, '::ffff:10.0.0.1', { id: index + 1 });
    const active = open(bench, { responseTimeout: 17 });
    bench.run(bench.nowNs + 2e9);
    expect(active.state).toBe('ESTABLISHED');
    // The honest peer was asked and said that it knew nothing of the others.
    expect(bench.agents[1].counters.challenged).toBeGreaterThan(15);
    expect(bench.kinds(1).filter((kind) => kind === 'request').length).toBeLessThan(100);
  });

  it('hears an honest request within 2 s while its name is used for ten thousand others per second', () => {
    const bench = new CmBench(1);
    accepting(bench);
    let id = 0;
    // What comes in its name goes on for as long as the honest peer waits, and long enough to fill every table before.
    const strikeFor = (ms: number) => {
      for (let tick = 0; tick < ms; tick++) {
        for (let index = 0; index < 10; index++) strike(bench, '::ffff:10.0.0.1', { id: 1_000_000 + id++ });
        bench.run(bench.nowNs + 1e6);
      }
    };
    strikeFor(200);
    const active = open(bench, { responseTimeout: 17 });
    const untilNs = bench.nowNs + 2e9;
    while (active.state !== 'ESTABLISHED' && bench.nowNs < untilNs) strikeFor(50);
    expect(active.state).toBe('ESTABLISHED');
    // One answer for each at most, and the program heard of few.
    expect(bench.sentBytes.get('10.0.0.1') ?? 0).toBeLessThanOrEqual(MAD_BYTES * id);
    expect(bench.kinds(1).filter((kind) => kind === 'request').length).toBeLessThan(100);
  });

  it('does not take a guess for the answer to a question that it does not remember', () => {
    const bench = new CmBench(2, () => [], { challengedPerPeer: 4, challengeAbovePerPeer: 1 });
    accepting(bench);
    const peer = '::ffff:10.0.7.73';
    for (let id = 1; id <= 50; id++) strike(bench, peer, { id });
    const drep = { kind: 'drep' as const, transactionId: 1n, privateData: new Uint8Array(224) };
    for (let number = 1; number < 5000; number++) {
      const names = { localCommunicationId: 50, remoteCommunicationId: number };
      bench.inject(1, emitted({ ...drep, ...names }), parseGid(peer));
    }
    strike(bench, peer, { id: 50 });
    expect(bench.kinds(1)).toEqual(['request']);
  });

  it('hears a request in time however often its peer asks for patience', () => {
    const bench = new CmBench(1);
    accepting(bench);
    bench.onEvent = (_side, connection, event) => {
      if (event.kind === 'request') connection.reply({ qpn: 0x22, startingPsn: 1 }, bench.nowNs);
    };
    const stranger = '::ffff:10.0.7.7';
    strike(bench, stranger, { id: 5 });
    const { connection } = bench.events[0];
    const mra = {
      kind: 'mra',
      transactionId: 1n,
      localCommunicationId: connection.remoteId,
      remoteCommunicationId: connection.localId,
      messageMraed: 1,
      serviceTimeout: 31,
      privateData: new Uint8Array(222),
    } as const;
    for (let second = 0; second < 300; second++) {
      bench.inject(1, emitted(mra), parseGid(stranger));
      bench.run(bench.nowNs + 1e9);
    }
    expect(bench.agents[1].size).toBe(0);
  });

  it('gives one peer its share of connections and of requests, and no more', () => {
    const limits = {
      connections: 300,
      connectionsPerPeer: 200,
      requestsPerSecondPerPeer: 500,
      requestBurstPerPeer: 400,
      requestsPerSecond: 1e6,
      requestBurst: 1e6,
    };
    const bench = new CmBench(1, undefined, limits);
    accepting(bench);
    for (let index = 0; index < 250; index++) {
      open(bench, { qpn: index + 2, responseTimeout: 17 });
      bench.run(bench.nowNs + 1e6);
    }
    const count = (kind: string) => bench.kinds(1).filter((each) => each === kind).length;
    // A few at a time, no peer gets more than half of what there is: as many as are free besides.
    expect(count('established')).toBe(150);
    expect(bench.kinds(0).filter((kind) => kind === 'rejected')).toHaveLength(100);
    strike(bench, '::ffff:10.0.7.7', { id: 5 });
    expect(count('request')).toBe(151);
    // Requests that are refused at once are counted by their rate.
    bench.onEvent = (_side, connection, event) => {
      if (event.kind === 'request') connection.reject(REJ_REASON.consumerReject);
    };
    for (let index = 0; index < 1000; index++) strike(bench, '::ffff:10.0.7.8', { id: index + 1 });
    expect(bench.agents[1].counters.rateLimited).toBe(600);
    bench.run(bench.nowNs + 0.1e9);
    for (let index = 0; index < 1000; index++) strike(bench, '::ffff:10.0.7.8', { id: index + 1 });
    expect(bench.agents[1].counters.rateLimited).toBe(1550);
  });

  it('counts the connections of a peer that we connect to, too, whatever of ours ends meanwhile', () => {
    const bench = new CmBench(1, undefined, { connectionsPerPeer: 3, timewaitNs: 1e6 });
    const [peer, victim] = bench.agents;
    for (const agent of bench.agents) agent.listen(SERVICE);
    bench.onEvent = (side, connection, event) => {
      if (event.kind === 'request')
        connection.reply({ qpn: 0x22 + bench.agents[side].size, startingPsn: 1 }, bench.nowNs);
      if (event.kind === 'reply') connection.ready();
    };
    const toPeer = {
      peer: bench.gids[0],
      localGid: bench.gids[1],
      serviceId: SERVICE,
      startingPsn: 1,
      pathMtuCode: 3,
    };
    const header = {
      ipVersion: 4,
      sourcePort: 1,
      sourceAddress: 0x0a000002,
      destinationAddress: 0x0a000001,
    } as const;
    const ours = [7, 8].map((qpn) => victim.connect({ ...toPeer, header, qpn }, bench.nowNs));
    const settle = () => bench.run(bench.nowNs + 10e6);
    settle();
    const asked = () => {
      const made = Array.from({ length: 5 }, (_, at) =>
        open(bench, { qpn: 0x100 + peer.size + at, responseTimeout: 17 }),
      );
      settle();
      return made;
    };
    for (const connection of ours) {
      connection.disconnect(bench.nowNs);
      settle();
      asked();
    }
    const stand = bench.events.filter(
      ({ side, event, connection }) =>
        side === 1 && event.kind === 'established' && connection.state === 'ESTABLISHED',
    );
    expect(stand).toHaveLength(3);
  });

  it('gives peers who ask all the time one share together, and answers who asks now and then', () => {
    const bench = new CmBench(1);
    const heard = { greedy: 0, modest: 0 };
    const modest = '::ffff:10.0.7.9';
    bench.agents[1].listen(SERVICE);
    bench.onEvent = (_side, connection, event) => {
      if (event.kind !== 'request') return;
      heard[sameGid(connection.peer, parseGid(modest)) ? 'modest' : 'greedy']++;
      connection.reject(REJ_REASON.consumerReject);
    };
    // A hundred per second of each of eight peers, each within its own rate; and five per second of another.
    for (let tick = 0; tick < 2000; tick++) {
      for (let peer = 1; peer <= 8; peer++) strike(bench, `::ffff:10.0.8.${peer}`, { id: tick + 1 });
      if (tick % 20 === 0) strike(bench, modest, { id: tick + 1 });
      bench.run(bench.nowNs + 10e6);
    }
    expect(heard.modest).toBe(100);
    // 512 at once and 400 per second together; and of each 64 at once and 10 per second that it does not share.
    expect(heard.greedy).toBeLessThanOrEqual(512 + 20 * 400 + 8 * (64 + 20 * 10));
    expect(heard.greedy).toBeGreaterThan(8000);
  });

  it('asks an address before the program hears of it, where much waits', () => {
    const bench = new CmBench(1, () => []);
    bench.agents[1].listen(SERVICE);
    const asked = (backlog: number, id: number) => {
      bench.backlog = backlog;
      strike(bench, '::ffff:10.0.7.8', { id });
      return bench.agents[1].counters.challenged;
    };
    expect([asked(0, 1), asked(62, 2), asked(62, 3), asked(0, 4)]).toEqual([0, 0, 1, 1]);
    expect(bench.events).toHaveLength(3);
  });

  it('tells at a glance what belongs to a connection from what anybody can send', () => {
    const bench = new CmBench(1);
    accepting(bench);
    const [asking, victim] = bench.agents;
    const [peer, stranger] = [bench.gids[0], parseGid('::ffff:10.0.7.8')];
    const urgency = (message: Parameters<typeof emitCm>[0], source = peer) =>
      victim.urgencyOf(emitted(message), 0, MAD_BYTES, source, bench.nowNs);
    const req = { ...exampleReq(), serviceId: SERVICE };
    expect(urgency(req)).toBe(Urgency.STRANGER);
    const connection = open(bench);
    bench.run(bench.nowNs + 1e6);
    expect(connection.state).toBe('ESTABLISHED');
    expect(urgency(req)).toBe(Urgency.PEER);
    expect(urgency(req, stranger)).toBe(Urgency.STRANGER);
    const rtu = exampleMessages().find(({ kind }) => kind === 'rtu') as Rtu;
    const own = { ...rtu, remoteCommunicationId: connection.remoteId };
    expect(urgency(own)).toBe(Urgency.ANSWER);
    expect(urgency({ ...own, remoteCommunicationId: connection.remoteId ^ 1 })).toBe(Urgency.PEER);
    expect(urgency(own, stranger)).toBe(Urgency.STRANGER);
    // What is no message at all has the names of none, whatever was looked at before.
    expect(victim.urgencyOf(new Uint8Array(MAD_BYTES), 0, MAD_BYTES, peer, bench.nowNs)).toBe(Urgency.PEER);
    connection.disconnect(bench.nowNs);
    bench.run(bench.nowNs + 1e6);
    expect(urgency(req)).toBe(Urgency.PEER);
    bench.run(bench.nowNs + 10e9);
    expect(asking.size + victim.size).toBe(0);
    expect(urgency(req)).toBe(Urgency.STRANGER);
  });

  it('lets addresses that do not answer wait behind those that were not asked yet, until they answer', () => {
    const bench = new CmBench(1);
    const victim = bench.agents[1];
    accepting(bench);
    const forged = parseGid('::ffff:10.0.7.8');
    const urgency = (source: Uint8Array) =>
      victim.urgencyOf(emitted({ ...exampleReq(), serviceId: SERVICE }), 0, MAD_BYTES, source, bench.nowNs);
    bench.backlog = 100;
    expect(urgency(forged)).toBe(Urgency.STRANGER);
    strike(bench, '::ffff:10.0.7.8', { id: 1 });
    expect(urgency(forged)).toBe(Urgency.SILENT);
    bench.run(bench.nowNs + 60e9);
    expect([victim.size, victim.peerCount]).toEqual([0, 1]);
    expect(urgency(forged)).toBe(Urgency.SILENT);
    // The honest side is asked as well, answers, and is known from then on.
    const connection = open(bench);
    bench.run(bench.nowNs + 1e6);
    expect(victim.counters.challenged).toBe(2);
    expect(connection.state).toBe('ESTABLISHED');
    expect(urgency(bench.gids[0])).toBe(Urgency.PEER);
  });

  it('takes many requests of one peer at once, a little later, and none is believed in by one side alone', () => {
    const bench = new CmBench(1);
    accepting(bench);
    const asked = Array.from({ length: 400 }, (_, index) =>
      open(bench, { qpn: index + 2, responseTimeout: 17 }),
    );
    bench.run(bench.nowNs + 3e9);
    expect(asked.filter(({ state }) => state === 'ESTABLISHED')).toHaveLength(400);
    for (let index = 0; index < 1000; index++)
      asked.push(open(bench, { qpn: index + 1002, responseTimeout: 17 }));
    bench.run(bench.nowNs + 20e9);
    const stand = asked.filter(({ state }) => state === 'ESTABLISHED');
    const heard = bench.events.filter(({ side, event }) => side === 1 && event.kind === 'established');
    expect(stand.length).toBe(1024);
    expect(heard.filter(({ connection }) => connection.state === 'ESTABLISHED')).toHaveLength(1024);
    expect(asked.filter(({ state }) => state === 'CLOSED')).toHaveLength(1400 - 1024);
  });

  it('answers an unproven address with at most three times its bytes, whatever it asks for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 31 }),
        fc.integer({ min: 0, max: 15 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 }),
        fc.constantFrom('accepts', 'rejects', 'delays', 'nothing'),
        (code, maxCmRetries, ids, consumer) => {
          const bench = new CmBench(1, () => []);
          bench.agents[1].listen(SERVICE);
          bench.onEvent = (_side, connection, event) => {
            if (event.kind !== 'request') return;
            if (consumer === 'accepts') connection.reply({ qpn: 0x22, startingPsn: 1 }, bench.nowNs);
            if (consumer === 'rejects') connection.reject(REJ_REASON.consumerReject);
            if (consumer === 'delays') connection.delay(20, bench.nowNs);
          };
          const forged = '::ffff:10.9.9.9';
          for (const id of ids) {
            strike(bench, forged, { id, localCmResponseTimeout: code, maxCmRetries });
            bench.run(bench.nowNs + 1e6);
          }
          bench.run();
          expect(bench.sentBytes.get(forged) ?? 0).toBeLessThanOrEqual(3 * MAD_BYTES * ids.length);
        },
      ),
    );
  });

  it('answers requests for datagrams and other paths with one message each, by name, within the rate', () => {
    const bench = new CmBench(1);
    const serviceId = rdmaCmServiceId(7174, 0x0111);
    bench.datagrams = { serviceId, qpn: 0x77, queueKey: 0x0123_4567 };
    const [asking, victim] = bench.agents;
    const to = parseGid('::ffff:10.0.0.2');
    for (const [id, service] of [
      [1, serviceId],
      [2, serviceId + 1n],
    ] as const)
      asking.desk.ask(id, service, new Uint8Array(0), to);
    bench.run(bench.nowNs + 1e6);
    expect(bench.replies).toMatchObject([
      { localCommunicationId: 1, outcome: SIDR_STATUS.success, qpn: 0x77, queueKey: 0x0123_4567 },
      { localCommunicationId: 2, outcome: SIDR_STATUS.unsupported, qpn: 0 },
    ]);
    const lap = new Uint8Array(MAD_BYTES);
    const names = { transactionId: 9n, localCommunicationId: 3, remoteCommunicationId: 4 };
    emitCmService({ kind: 'lap', ...names, privateData: new Uint8Array(168) }, lap, 0);
    const stranger = '::ffff:10.0.7.70';
    for (let index = 0; index < 2000; index++) bench.inject(1, lap, parseGid(stranger));
    // 512 at once of all who ask often, and 64 that this one need not share; 512 is the most of one peer.
    expect(bench.sentBytes.get(stranger)).toBe(512 * MAD_BYTES);
    expect(victim.counters.rateLimited).toBe(2000 - 512);
    expect(victim.size).toBe(0);
  });

  it('answers DREQs about nothing within a rate of their own, which takes no requests from whom they are forged for', () => {
    const bench = new CmBench(1);
    const [, victim] = bench.agents;
    accepting(bench);
    const peer = '::ffff:10.0.7.71';
    const names = {
      transactionId: 9n,
      localCommunicationId: 3,
      remoteCommunicationId: 4,
      remoteQpnOrEecn: 5,
    };
    const dreq = { kind: 'dreq' as const, ...names, privateData: new Uint8Array(220) };
    for (let index = 0; index < 2000; index++) bench.inject(1, emitted(dreq), parseGid(peer));
    expect(bench.sentBytes.get(peer)).toBe(512 * MAD_BYTES);
    bench.run(bench.nowNs + 0.5e9);
    for (let index = 0; index < 2000; index++) bench.inject(1, emitted(dreq), parseGid(peer));
    // 200 per second.
    expect(bench.sentBytes.get(peer)).toBe(612 * MAD_BYTES);
    expect(victim.counters.strays).toBe(4000);
    strike(bench, peer, { id: 1 });
    expect(bench.kinds(1)).toEqual(['request']);
    // What is remembered of it is forgotten when it has rested.
    expect(victim.peerCount).toBe(1);
  });

  it('hears a request again that it knows, however many its peer makes', () => {
    const bench = new CmBench(1, undefined, { requestBurstPerPeer: 4, requestsPerSecondPerPeer: 1e-3 });
    accepting(bench);
    const peer = '::ffff:10.0.7.72';
    for (let id = 1; id <= 10; id++) strike(bench, peer, { id });
    expect(bench.agents[1].counters.rateLimited).toBe(6);
    const sent = bench.agents[1].counters.sent;
    // The reply to the first was lost: it is sent again, and to the tenth there is none.
    strike(bench, peer, { id: 1 });
    strike(bench, peer, { id: 10 });
    expect(bench.agents[1].counters).toMatchObject({ sent: sent + 1, rateLimited: 7 });
  });

  it('takes a DREQ in every state without harm', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), fc.nat(12), (seed, moment) => {
        const bench = new CmBench(seed, (random) => (random.nextFloat() < 0.2 ? [] : [1e6]), {
          challengeAbove: seed % 3 === 0 ? 0.5 : 64,
        });
        accepting(bench);
        const mayDelay = seed % 2 === 0;
        bench.onEvent = (_side, connection, event) => {
          if (event.kind === 'request') {
            if (mayDelay) connection.delay(14, bench.nowNs);
            else connection.reply({ qpn: 0x22, startingPsn: 1 }, bench.nowNs);
          }
          if (event.kind === 'reply' && mayDelay) connection.delay(14, bench.nowNs);
          else if (event.kind === 'reply') connection.ready();
        };
        const active = open(bench);
        for (let step = 0; step < moment; step++) {
          bench.run(bench.nowNs + 0.6e6);
          const passive = bench.events.find(({ side }) => side === 1)?.connection;
          if (passive?.state === 'MRA_SENT') passive.reply({ qpn: 0x22, startingPsn: 1 }, bench.nowNs);
          if (step > 6 && active.state === 'ESTABLISHED') active.disconnect(bench.nowNs);
        }
        const passive = bench.events.find(({ side }) => side === 1)?.connection;
        for (const [side, connection] of [active, passive].entries()) {
          if (connection === undefined) continue;
          seen.add(`${connection.role} ${connection.state}`);
          const dreq = {
            kind: 'dreq',
            transactionId: 1n,
            localCommunicationId: connection.remoteId,
            remoteCommunicationId: connection.localId,
            remoteQpnOrEecn: connection.localQpn,
            privateData: new Uint8Array(220),
          } as const;
          for (const localCommunicationId of [connection.remoteId, 77])
            for (const remoteQpnOrEecn of [connection.localQpn, 0])
              bench.inject(
                side,
                emitted({ ...dreq, localCommunicationId, remoteQpnOrEecn }),
                bench.gids[1 - side],
              );
        }
        bench.run();
        expect(bench.faults).toEqual([]);
        expect(bench.kinds(0).filter((kind) => kind === 'disconnected').length).toBeLessThanOrEqual(1);
        for (const agent of bench.agents) if (active.state === 'CLOSED') expect(agent.halfOpenCount).toBe(0);
      }),
      { numRuns: 500 },
    );
    for (const state of ['active REQ_SENT', 'active ESTABLISHED', 'active DREQ_SENT', 'passive REP_SENT'])
      expect([...seen]).toContain(state);
    expect(seen.size).toBeGreaterThan(7);
  });

  it('hears no message of somebody else about a connection', () => {
    const bench = new CmBench(1);
    accepting(bench);
    const active = open(bench);
    bench.run(1e6);
    const passive = bench.events[0].connection;
    const dreq = {
      kind: 'dreq',
      transactionId: 1n,
      localCommunicationId: active.localId,
      remoteCommunicationId: passive.localId,
      remoteQpnOrEecn: passive.localQpn,
      privateData: new Uint8Array(220),
    } as const;
    bench.inject(1, emitted(dreq), parseGid('::ffff:10.0.0.66'));
    bench.inject(1, emitted({ ...dreq, localCommunicationId: active.localId ^ 1 }), bench.gids[0]);
    bench.inject(1, emitted({ ...dreq, remoteQpnOrEecn: 7 }), bench.gids[0]);
    expect(passive.state).toBe('ESTABLISHED');
    bench.inject(1, emitted(dreq), bench.gids[0]);
    expect(passive.state).toBe('TIMEWAIT');
  });

  it('goes on when a consumer throws, in a message and in a timer', () => {
    const bench = new CmBench(1);
    bench.agents[1].listen(SERVICE);
    bench.onEvent = (side) => {
      if (side === 1) throw new Error('the consumer is wrong');
    };
    open(bench);
    open(bench, { qpn: 0x12 });
    bench.run();
    // Each request, and each time that it was given up.
    expect(bench.faults).toHaveLength(4);
    expect(bench.agents.map(({ size }) => size)).toEqual([0, 0]);
  });

  it('takes any bytes without an exception or a leak', () => {
    const samples = exampleMessages().map(emitted);
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            sample: fc.nat(samples.length - 1),
            flips: fc.array(fc.tuple(fc.nat(MAD_BYTES - 1), fc.nat(255)), { maxLength: 6 }),
            length: fc.integer({ min: 0, max: MAD_BYTES }),
          }),
          { maxLength: 40 },
        ),
        (datagrams) => {
          const bench = new CmBench(3, () => [], { consumerNs: 1e9 });
          accepting(bench);
          for (const { sample, flips, length } of datagrams) {
            const bytes = samples[sample].slice();
            for (const [at, value] of flips) bytes[at] = value;
            bench.inject(1, bytes.subarray(0, length > 200 ? MAD_BYTES : length), bench.gids[0]);
          }
          bench.run();
          expect(bench.agents[1].size).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('sends nothing larger than what it got', () => {
    const bench = new CmBench(1);
    const bytes = emitted(exampleReq());
    expect(parseCm(bytes)).toMatchObject({ kind: 'req' });
    bench.inject(1, bytes, bench.gids[0]);
    expect(bench.agents[1].counters.sent).toBe(1);
  });
});
