import type { FaultKind } from './fault-kind.js';

/** Faults that are settings inside an RNIC, which no part of the host shows. */
export const deviceFaults: readonly FaultKind[] = [
  {
    id: 'slow-start',
    title: 'queue pairs of the RNIC begin slowly',
    admittedBy: null,
    setting: null,
    causeClass: 'device-setting',
    places: ['rnic-device'],
    severities: [40, 20, 10],
    meaning: 'Gb/s that a queue pair begins with',
    advice: 'Turn slow restart after idle off (roce_slow_restart_idle in the ROCE_ACCL register, mlxreg).',
    inject: (at, slowStartGbps) => ({ at, slowStartGbps }),
  },
  {
    id: 'tx-window',
    title: 'transmit window of the RNIC is too small',
    admittedBy: null,
    setting: null,
    causeClass: 'device-setting',
    places: ['rnic-device'],
    severities: [16, 8, 4],
    meaning: 'packets of a queue pair in flight',
    advice:
      'Turn the transmit window off, or make it larger (roce_tx_window in the ROCE_ACCL register, mlxreg).',
    inject: (at, packets) => ({ at, transmitWindowPackets: packets }),
  },
  {
    id: 'rnic-buffer',
    title: 'receive buffer of the RNIC is small',
    admittedBy: null,
    setting: null,
    causeClass: 'outside',
    places: ['rnic-device'],
    severities: [0.5, 0.2, 0.1],
    meaning: 'share of the receive buffer that is used',
    advice:
      'The paths of the host are as they should be: look at the fabric and at the buffer settings of the RNIC (mlnx_qos --buffer_size).',
    inject: (at, receiveBuffer) => ({ at, receiveBuffer }),
  },
];
