import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { completeLock, missingPackages, platformOf } from './complete-lock.js';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { version?: string; resolved?: string }>;
};

it('the lock has an entry for every optional package of every platform, so that `npm ci` takes it', () => {
  expect(missingPackages(lock)).toEqual([]);
  expect(completeLock(lock)).toEqual(lock);
});

it('a lock without them is noticed and completed', () => {
  const { 'node_modules/@rolldown/binding-darwin-arm64': gone, ...packages } = lock.packages;
  const shorter = { ...lock, packages };
  expect(missingPackages(shorter).map(({ path }) => path)).toEqual([
    'node_modules/@rolldown/binding-darwin-arm64',
  ]);
  expect(completeLock(shorter).packages['node_modules/@rolldown/binding-darwin-arm64']).toMatchObject({
    version: gone.version,
    cpu: ['arm64'],
    os: ['darwin'],
  });
});

it('reads the platform out of a name', () => {
  expect(platformOf('node_modules/@biomejs/cli-linux-arm64-musl')).toMatchObject({
    cpu: ['arm64'],
    libc: ['musl'],
    os: ['linux'],
  });
  expect(platformOf('node_modules/@rolldown/binding-wasm32-wasi').cpu).toEqual(['wasm32']);
  expect(() => platformOf('node_modules/left-pad')).toThrow(/platform/);
});

it('the lock names no registry: whoever installs chooses it', () => {
  const named = Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined);
  expect(named).toEqual([]);
});
