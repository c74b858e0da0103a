import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Service } from 'kubernetes-models/v1';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { worker } from '../commands/jobs/worker.js';
import { TestSlurm, WHY_NO_SLURM } from './testing/slurm.js';

// Goal: what the examples hand to Kubernetes and Slurm is what these take, and their workers are started with flags that
// there are.

const CLUSTER = readFileSync('examples/campaign/kubernetes.yaml', 'utf8');
const SCRIPT = readFileSync('examples/campaign/slurm.sh', 'utf8');
const FLAGS = worker.options.map(({ flags }) => flags.split(' ')[0]);

const KINDS = { Deployment, StatefulSet, Service } as const;
const MODULES = { Deployment: 'apps/v1', StatefulSet: 'apps/v1', Service: 'v1' } as const;

interface Manifest {
  readonly kind: keyof typeof KINDS;
}

const manifestsOf = (text: string) => parseAllDocuments(text).map((each) => each.toJS() as Manifest);

/** What Kubernetes' own schema says of types, required fields and quantities. */
function faultsOf(text: string): string[] {
  return manifestsOf(text).flatMap((manifest) => {
    try {
      new KINDS[manifest.kind](manifest as never).validate();
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** Fields that there are not: the schema lets them pass, the types that were made of it do not. */
function strangersOf(text: string): string[] {
  const folder = mkdtempSync(join(resolve('node_modules'), '.kelpie-manifest-'));
  try {
    const file = join(folder, 'manifests.mts');
    const lines = manifestsOf(text).map(
      (manifest, index) =>
        `import type { I${manifest.kind} as T${index} } from 'kubernetes-models/${MODULES[manifest.kind]}';\n` +
        `export const m${index}: T${index} = ${JSON.stringify(manifest)};`,
    );
    writeFileSync(file, lines.join('\n'));
    const program = ts.createProgram([file], {
      ...{ noEmit: true, strict: true, skipLibCheck: true, types: [] },
      ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the manifest of Kubernetes', () => {
  it('has what its schema wants, and nothing that the schema does not have', () => {
    expect(faultsOf(CLUSTER)).toEqual([]);
    expect(strangersOf(CLUSTER)).toEqual([]);
  });

  it('is told apart from one that is wrong', () => {
    expect(faultsOf(CLUSTER.replace('replicas: 5', 'replicas: five'))).toEqual([
      'data/spec/replicas must be integer',
    ]);
    expect(faultsOf(CLUSTER.replaceAll('memory: 8Gi', 'memory: 8 gigs'))[0]).toContain('quantity');
    expect(strangersOf(CLUSTER.replace('terminationGrace', 'terminationGrade'))[0]).toMatch(
      /terminationGradePeriodSeconds.* does not exist/,
    );
  });

  const noKubectl =
    spawnSync('kubectl', ['version', '--client']).status === 0 ? '' : 'kubectl is not installed';
  it.skipIf(noKubectl !== '')(`is read by kubectl ${noKubectl}`, () => {
    const read = (input: string) =>
      spawnSync('kubectl', ['annotate', '--local', '-f', '-', 'a=b', '-o', 'name'], {
        input,
        encoding: 'utf8',
      });
    expect(read(CLUSTER).stdout.trimEnd().split('\n')).toEqual([
      'service/kelpie-nats',
      'statefulset.apps/kelpie-nats',
      'deployment.apps/kelpie-worker',
    ]);
  });

  it('starts workers with flags that there are', () => {
    const [, args] = /args:\s+(\[\s+"worker"[^\]]+\])/.exec(CLUSTER)!;
    const words = JSON.parse(args.replace(/,\s*\]/, ']')) as string[];
    const given = words.filter((word) => word.startsWith('--'));
    expect(given.length).toBeGreaterThan(3);
    expect(FLAGS).toEqual(expect.arrayContaining(given));
  });
});

describe('the script of Slurm', () => {
  it('starts workers with flags that there are', () => {
    const given = SCRIPT.slice(SCRIPT.indexOf('kelpie worker')).match(/--[a-z]+/g)!;
    expect(given.length).toBeGreaterThan(3);
    expect(FLAGS).toEqual(expect.arrayContaining(given));
  });

  const noShellcheck =
    spawnSync('shellcheck', ['--version']).status === 0 ? '' : 'shellcheck is not installed';
  it.skipIf(noShellcheck !== '')(`has nothing that shellcheck finds ${noShellcheck}`, () => {
    expect(spawnSync('shellcheck', ['-'], { input: SCRIPT, encoding: 'utf8' }).stdout).toBe('');
  });

  describe.skipIf(WHY_NO_SLURM !== null)(`is tested by sbatch ${WHY_NO_SLURM ?? ''}`, () => {
    let folder: string;
    let slurm: TestSlurm;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kelpie-slurm-'));
      slurm = await TestSlurm.open(folder);
    });
    afterAll(async () => {
      await slurm?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('which says where it would run', () => {
      expect(slurm.ask('sbatch', ['--test-only'], SCRIPT)).toMatch(
        /Job \d+ to start at \S+ using 8 processors on nodes n1 in partition main/,
      );
    });

    it('and refuses one that is wrong', () => {
      const test = (script: string) => slurm.ask('sbatch', ['--test-only'], script);
      expect(test(SCRIPT.replace('--array=1-5', '--arry=1-5'))).toContain("unrecognized option '--arry=1-5'");
      expect(test(SCRIPT.replace('--mem=16G', '--mem=64G'))).toContain('not available');
    });
  });
});
