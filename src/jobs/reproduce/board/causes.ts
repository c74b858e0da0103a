import type { Bench } from '../bench.js';
import { figures } from '../check.js';
import { rate } from '../readings.js';
import { summary } from '../rows/collie/collie.js';
import { collieWorkload, subsystemOf, withChange } from '../rows/collie/workload.js';
import { collieTargets } from '../targets/collie.js';
import type { CollieParameter } from '../targets/target.js';

/** Which mechanism makes a Collie row, and the counter in which it shows. */
export interface Cause {
  /** As the models' table of ablations names it. */
  mechanism: string;
  counter: string;
  /** The host whose NIC counts. */
  host: 'a' | 'b';
  /** The break that takes the mechanism's load away, as its clean run; the first unless set. */
  clean?: CollieParameter;
  /** In a sentence. */
  why: string;
}

/** The cause of each Collie row in the model. */
export const collieCauses: Readonly<Record<string, Cause>> = {
  C1: receiveWindow(
    'what a post of 64 receives leaves over outgrows the window of its queue; each re-read stops the engine',
  ),
  C2: receiveCache(
    '16 rings of 1,024 receives of 64 B do not fit the cache; datagrams without a descriptor are dropped',
  ),
  C3: {
    mechanism: 'read-response-cost',
    counter: 'engine_busy_ps',
    host: 'a',
    why: 'a packet of a long READ response costs the reader more than it costs the responder',
  },
  C4: {
    mechanism: 'send-wqe-cache',
    counter: 'send_wqe_cache_miss',
    host: 'a',
    why: 'READ WQEs of 80 queues with 4 elements stay until their response and push each other out',
  },
  C5: {
    ...receiveWindow('as C1; at MTU 1024 the engine has no slack to catch up after a stop'),
    clean: 'batch',
  },
  C6: receiveCache('32 rings of 1,024 receives of 32 B do not fit the cache; refused SENDs are sent again'),
  C7: {
    mechanism: 'context-cache',
    counter: 'icm_cache_miss',
    host: 'a',
    why: '480 queue pairs and their CQs do not fit the context cache; a unit waits for each miss',
  },
  C8: {
    mechanism: 'translation-cache',
    counter: 'mtt_cache_miss',
    host: 'a',
    why: '24,576 regions do not fit the translation cache; a unit waits for each miss',
  },
  C9: {
    mechanism: 'pcie-ordering',
    counter: 'pcie_read_stalled_ordering',
    host: 'a',
    why: 'short elements between long transfers of the other direction drain and turn the ordering point of a host without relaxed ordering',
  },
  C10: {
    mechanism: 'send-wqe-cache',
    counter: 'send_wqe_cache_miss',
    host: 'a',
    clean: 'qps',
    why: 're-reads of pushed-out WQEs and both directions share one engine',
  },
  C11: {
    mechanism: 'cross-socket-link',
    counter: 'pcie_internal_back_pressure_ps',
    host: 'b',
    why: 'reads and writes of both directions share the weak link between the sockets',
  },
  C12: {
    mechanism: 'acs-redirect',
    counter: 'pcie_internal_back_pressure_ps',
    host: 'b',
    why: 'peer traffic turns round in the root complex, which is slow',
  },
  C13: {
    mechanism: 'pcie-up-link',
    counter: 'pcie_internal_back_pressure_ps',
    host: 'b',
    why: 'loopback and received data together exceed the PCIe link; loopback has no rate limit and cannot be paused',
  },
  C14: {
    mechanism: 'transmit-slot-hold',
    counter: 'icm_cache_miss',
    host: 'a',
    clean: 'qps',
    why: 'a transmit slot of a full packet is held while the context of its queue pair is fetched',
  },
  C15: receiveCache('32 rings of 64 receives of 128 B do not fit the cache'),
  C16: {
    mechanism: 'context-cache',
    counter: 'icm_cache_miss',
    host: 'a',
    clean: 'qps',
    why: '500 reading queue pairs with four entries each do not fit the context cache',
  },
  C17: receiveCache('80 rings of 128 receives of 64 B do not fit the cache'),
  C18: {
    mechanism: 'burst-grant',
    counter: 'receive_processor_ps',
    host: 'b',
    why: 'a doorbell of 16 WQEs gives its queue pair a burst of five messages, whose packets all share one processor',
  },
};

/** What came of switching a cause off. */
export interface AblationFinding {
  id: string;
  mechanism: string;
  counter: string;
  /** The row, and the row with its cause switched off, in words. */
  on: string;
  off: string;
  /** The break that is the clean run. */
  cleanBy: string;
  /** The counter a second: in the row, with the cause switched off, and in the clean run. */
  counted: { on: number; off: number; clean: number };
  /** The symptom is there with the mechanism, and gone without it. */
  clears: boolean;
  /** The counter is higher in the row than in its clean run. */
  raised: boolean;
}

/** Runs a Collie row with and without its cause. */
export async function ablate(bench: Bench, id: string): Promise<AblationFinding> {
  const target = collieTargets.find((each) => each.id === id);
  const cause = collieCauses[id];
  if (target === undefined || cause === undefined) throw new RangeError(`no cause of ${id} is known`);
  const subsystem = subsystemOf(target);
  const parameter = cause.clean ?? (Object.keys(target.breaks)[0] as CollieParameter);
  const workload = collieWorkload(target);
  const on = await bench.measure(subsystem, workload);
  const off = await bench.measure(subsystem, workload, { ablate: [cause.mechanism] });
  const clean = await bench.measure(
    subsystem,
    collieWorkload(withChange(target, parameter, target.breaks[parameter])),
  );
  const [countedOn, countedOff, countedClean] = [on, off, clean].map((each) =>
    figures(rate(each, cause.host, cause.counter)),
  );
  return {
    id,
    mechanism: cause.mechanism,
    counter: cause.counter,
    on: summary(on),
    off: summary(off),
    cleanBy: parameter,
    counted: { on: countedOn, off: countedOff, clean: countedClean },
    clears: on.verdict.symptom === target.symptom && !off.verdict.anomaly,
    raised: countedOn > countedClean,
  };
}

function receiveWindow(why: string): Cause {
  return { mechanism: 'receive-wqe-window', counter: 'receive_wqe_window_miss', host: 'b', why };
}

function receiveCache(why: string): Cause {
  return { mechanism: 'receive-wqe-cache', counter: 'receive_wqe_cache_miss', host: 'b', why };
}
