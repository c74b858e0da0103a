import type { DeviceConstants } from '../../../../profiles/index.js';

/** Whether a WQE has more elements than its queue pair's context holds: the list is then fetched by itself. */
export function listIsApart({ contextElements }: DeviceConstants, elements: number): boolean {
  return contextElements > 0 && elements > contextElements;
}
