import type { Mtu, QpType } from '../queue-pair.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';
import { exchange, type TransferOpcode } from './operations.js';

/** Every operation that carries a message, on each transport that has it. */
export const CARRIERS: readonly (readonly [QpType, TransferOpcode])[] = [
  ['RC', 'SEND'],
  ['RC', 'SEND_WITH_IMM'],
  ['RC', 'RDMA_WRITE'],
  ['RC', 'RDMA_WRITE_WITH_IMM'],
  ['RC', 'RDMA_READ'],
  ['UC', 'SEND'],
  ['UC', 'SEND_WITH_IMM'],
  ['UC', 'RDMA_WRITE'],
  ['UC', 'RDMA_WRITE_WITH_IMM'],
];

const MTU = 1024;

/** Where segmentation changes: nothing, one byte, around one packet, several packets, very many. */
const SIZES: readonly (readonly [string, number])[] = [
  ['0 bytes', 0],
  ['1 byte', 1],
  ['one MTU less a byte', MTU - 1],
  ['one MTU', MTU],
  ['one MTU and a byte', MTU + 1],
  ['several MTUs', 5 * MTU + 333],
  ['1 MB', 1 << 20],
];

const MTUS: readonly Mtu[] = [256, 512, 1024, 2048, 4096];

/** What a case with this operation needs. */
export function needsOf(type: QpType, opcode: TransferOpcode): Need[] {
  return type === 'UC' ? [`${type}:${opcode}`, 'lossless'] : [`${type}:${opcode}`];
}

const sized = CARRIERS.flatMap(([type, opcode]) =>
  SIZES.map(([label, length]) =>
    casesOf(`${type} ${opcode}`)(
      `${label} arrive complete, and only those`,
      needsOf(type, opcode),
      async (bench) => {
        const memory = Math.max(4096, length + 64);
        await exchange(bench, bench.pair({ type, both: { memory }, attr: { pathMtu: MTU } }), opcode, length);
      },
    ),
  ),
);

const byMtu = CARRIERS.filter(([, opcode]) => opcode !== 'SEND_WITH_IMM').flatMap(([type, opcode]) =>
  casesOf(`${type} ${opcode}`)(
    `every path MTU carries a message of three packets and a bit`,
    needsOf(type, opcode),
    async (bench) => {
      const largest = Math.min(bench.left.queryPort(1).activeMtu, bench.right.queryPort(1).activeMtu);
      for (const pathMtu of MTUS.filter((mtu) => mtu <= largest)) {
        const length = 3 * pathMtu + 17;
        await exchange(
          bench,
          bench.pair({ type, both: { memory: length + 64 }, attr: { pathMtu } }),
          opcode,
          length,
        );
      }
    },
  ),
);

/** Messages of every size, over every path MTU. */
export const transferCases: readonly ContractCase[] = [...sized, ...byMtu];
