import { type ConstantTable, flag, real, type Values, whole } from './constant.js';

const bytes: readonly [number, number] = [0, 2 ** 32];

/** Every constant of what lies between the ports: cables and at most one switch. */
export const fabricConstants = {
  linkGbps: real('Link', 'Gb/s', [0, 1600], 'Rate of a link.', '0: the rate of the port on it'),
  propagationNs: real('Link', 'ns', [0, 1e7], 'One cable, one way.'),
  switched: flag(
    'Switch',
    'There is a switch between the ports.',
    'two ports back to back; the constants below are not read',
  ),
  switchLatencyNs: real('Switch', 'ns', [0, 1e6], 'Port to port of the switch, idle.'),
  bufferBytes: whole('Switch', 'B', bytes, 'Packet buffer that all ports share.'),
  pfcXoffBytes: whole(
    'Switch',
    'B',
    bytes,
    'Bytes of an ingress port and priority above which the switch sends XOFF.',
    '0: never, the class is lossy',
  ),
  pfcXonBytes: whole('Switch', 'B', bytes, 'Bytes below which it sends XON.'),
  pfcHeadroomBytes: whole(
    'Switch',
    'B',
    bytes,
    'Bytes kept for what still arrives after XOFF, for each port and priority.',
  ),
  ecnKminBytes: whole(
    'Switch',
    'B',
    bytes,
    'Egress queue above which packets begin to be marked.',
    '0: with ecnPmax 0, no marking',
  ),
  ecnKmaxBytes: whole('Switch', 'B', bytes, 'Egress queue above which every packet is marked.'),
  ecnPmax: real('Switch', 'probability', [0, 1], 'Probability of a mark just below Kmax.', '0: no marking'),
} satisfies ConstantTable;

/** The flat numbers of a fabric, as the models read them. */
export type FabricConstants = Values<typeof fabricConstants>;
