import { probeMesh } from '../../../node/index.js';
import { ExitCode } from '../../exit-code.js';
import type { Terminal } from '../../terminal.js';
import { formatMesh } from './mesh-report.js';

/** What `kelpie ping --provider software` was asked for. */
export interface MeshOrder {
  readonly processes: number;
  readonly repetitions: number;
  readonly faults: readonly string[];
  readonly json: boolean;
}

/** Has processes of this machine probe each other, and prints which stand out. */
export async function runMesh(
  { json, ...request }: MeshOrder,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const result = await probeMesh({ ...request, signal });
  terminal.out(json ? `${JSON.stringify(result, null, 2)}\n` : formatMesh(result));
  if (signal.aborted) return ExitCode.INTERRUPTED;
  return result.findings.length === 0 ? ExitCode.GOOD : ExitCode.FOUND;
}
