import { diagnoseMesh, MESH_PROBES, type Mesh, type MeshFinding, sweepMesh } from '../../jobs/ping/index.js';
import { loopbackAddress } from '../../providers/software/index.js';
import { MeshChild } from './mesh-child.js';
import { parseProcessFault } from './process-fault.js';

/** Processes of this machine that probe each other. */
export interface MeshRequest {
  readonly processes: number;
  readonly repetitions: number;
  /** What is wrong with them on purpose: `busy@p1`. */
  readonly faults?: readonly string[];
  readonly signal?: AbortSignal;
}

/** What came of a mesh of processes. */
export interface MeshResult {
  readonly mesh: Mesh;
  readonly findings: readonly MeshFinding[];
  readonly largeBytes: number;
  readonly seconds: number;
}

/** Starts processes with a software device each, probes every pair of them, and says which stand out. */
export async function probeMesh({
  processes,
  repetitions,
  faults = [],
  signal,
}: MeshRequest): Promise<MeshResult> {
  const names = Array.from({ length: processes }, (_, place) => `p${place}`);
  const wrong = faults.map((text) => parseProcessFault(text, names));
  const startedMs = performance.now();
  const children = names.map((name, place) => new MeshChild(name, loopbackAddress(place)));
  const end = () => {
    for (const child of children) child.end();
  };
  signal?.addEventListener('abort', end);
  try {
    await Promise.all(
      children.map((child) => child.open(wrong.filter(({ process }) => process === child.name))),
    );
    for (const { kind, process } of wrong)
      if (kind === 'stopped') children.find(({ name }) => name === process)!.stop();
    const mesh = await sweepMesh(names, repetitions, (from, to) =>
      children[from].probe(children[to].address),
    );
    const seconds = (performance.now() - startedMs) / 1000;
    return { mesh, findings: diagnoseMesh(mesh), largeBytes: MESH_PROBES.largeBytes, seconds };
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}
