import { parseHwlocXml } from './hwloc-xml.js';
import { badLine, linesOf } from './import-error.js';
import { parseLspciTree } from './lspci-tree.js';
import { parseLspciVerbose } from './lspci-verbose.js';
import { parseNvidiaTopology } from './nvidia-topology.js';
import type { MachineFacts } from './pci-facts.js';

const FORMATS: readonly (readonly [RegExp, (text: string, source: string) => MachineFacts])[] = [
  [/^\s*<(\?xml|!DOCTYPE|topology)/, parseHwlocXml],
  [/^-[-+]*\[[0-9a-f]{4,8}:[0-9a-f]{2}/i, parseLspciTree],
  [/^([0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] /i, parseLspciVerbose],
  // The header of its table begins with a blank cell, whose underline is an escape.
  [/^\s*(\S*\[4m)?GPU0\b/, parseNvidiaTopology],
];

/**
 * Reads what one of the known programs printed, told apart by its first line with anything on it: `lspci -tv`,
 * `lspci -vvv`, `nvidia-smi topo -m` or hwloc's XML.
 *
 * @example
 * const facts = parseMachineOutput(readFileSync('lspci.txt', 'utf8'), 'lspci.txt');
 */
export function parseMachineOutput(text: string, source: string): MachineFacts {
  const lines = linesOf(source, text);
  const first = Math.max(
    0,
    lines.findIndex((line) => line.trim() !== ''),
  );
  const format = FORMATS.find(([start]) => start.test(lines[first]));
  if (format === undefined)
    throw badLine(
      source,
      first + 1,
      lines[first],
      'the output of lspci -tv, lspci -vvv, nvidia-smi topo -m or lstopo --of xml',
    );
  return format[1](text, source);
}
