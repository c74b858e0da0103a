import { type ConstantTable, real } from '../constant.js';

/** A PCIe link behind a DMA engine that takes its time. */
export const engineBusConstants = {
  dmaReadNs: real(
    'Port and bus',
    'ns',
    [0, 1e9],
    "Time that the device's own DMA engine adds to each read of host memory.",
  ),
} satisfies ConstantTable;
