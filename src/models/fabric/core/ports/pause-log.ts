/** The columns of a log: what a thread can send. */
export type PauseColumns = Pick<PauseLog, 'count' | 'timeNs' | 'port' | 'trafficClass' | 'pauses'>;

/** Pauses and resumes as they reached the ports that obey them, in columns. */
export class PauseLog {
  count = 0;
  timeNs = new Float64Array(0);
  port = new Int32Array(0);
  trafficClass = new Uint8Array(0);
  /** 1 for a pause, 0 for a resume. */
  pauses = new Uint8Array(0);

  /** Several logs as one, in order of time, then of port. */
  static merged(logs: readonly PauseColumns[]): PauseLog {
    const entries = logs.flatMap((log) => Array.from({ length: log.count }, (_, at) => ({ log, at })));
    entries.sort((a, b) => a.log.timeNs[a.at] - b.log.timeNs[b.at] || a.log.port[a.at] - b.log.port[b.at]);
    const merged = new PauseLog();
    for (const { log, at } of entries)
      merged.add(log.timeNs[at], log.port[at], log.trafficClass[at], log.pauses[at]);
    return merged;
  }

  add(timeNs: number, port: number, trafficClass: number, pauses: number): void {
    const at = this.count++;
    if (at === this.port.length) this.grow();
    this.timeNs[at] = timeNs;
    this.port[at] = port;
    this.trafficClass[at] = trafficClass;
    this.pauses[at] = pauses;
  }

  private grow(): void {
    const capacity = Math.max(1024, this.port.length * 2);
    const timeNs = new Float64Array(capacity);
    const port = new Int32Array(capacity);
    const trafficClass = new Uint8Array(capacity);
    const pauses = new Uint8Array(capacity);
    timeNs.set(this.timeNs);
    port.set(this.port);
    trafficClass.set(this.trafficClass);
    pauses.set(this.pauses);
    this.timeNs = timeNs;
    this.port = port;
    this.trafficClass = trafficClass;
    this.pauses = pauses;
  }
}
