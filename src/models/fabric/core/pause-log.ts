/** Pauses and resumes as they reached the ports that obey them, in columns. */
export class PauseLog {
  count = 0;
  timeNs = new Float64Array(0);
  port = new Int32Array(0);
  trafficClass = new Uint8Array(0);
  /** 1 for a pause, 0 for a resume. */
  pauses = new Uint8Array(0);

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
