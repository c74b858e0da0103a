import { type ConstantTable, real, type Values, whole } from '../constant.js';
import type { DeviceConstants } from './device-constants.js';

const group = 'Congestion control (DCTCP)';

/** Windows that acknowledgements with counts of marked packets move. */
export const dctcpConstants = {
  dctcpGain: real(group, '1', [0.0001, 1], 'Weight of the newest round trip in the share of marked packets.'),
  dctcpWindowBytes: whole(
    group,
    'B',
    [1024, 2 ** 30],
    'Widest window of a QP, and its first: a bandwidth-delay product.',
  ),
  dctcpAdditivePackets: real(
    group,
    'packets',
    [0.001, 1000],
    'By how much a round trip without marks widens the window.',
  ),
} satisfies ConstantTable;

/** The numbers that DCTCP reads. */
export type DctcpConstants = DeviceConstants & Values<typeof dctcpConstants>;
