// Completes package-lock.json with the packages of other platforms: `node scripts/complete-lock.js`. A registry that
// does not serve them makes npm leave them out, and `npm ci` refuses such a lock. A test checks that none is missing.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lockPath = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
];
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** The optional packages that a lock asks for and does not have, as `{ path, version, dev }`. */
export function missingPackages(lock) {
  const missing = new Map();
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!isFound(lock, path, name))
        missing.set(name, { path: `node_modules/${name}`, version, dev: entry.dev });
    }
  }
  return [...missing.values()];
}

/** npm looks beside a package's own dependencies first, then in every folder above. */
function isFound(lock, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const prefix = folder === '' ? '' : `${folder}/`;
    if (lock.packages[`${prefix}node_modules/${name}`] !== undefined) return true;
    if (folder === '') return false;
  }
}

/** Where a package runs, as its name says: `binding-linux-x64-musl` is Linux, x64, musl. */
export function platformOf(path) {
  const words = path.slice(path.lastIndexOf('/') + 1).split('-');
  const os = words.find((word) => systems.includes(word));
  const cpu = words.find((word) => processors.includes(word));
  const library = os === 'linux' ? words.find((word) => word in libraries) : undefined;
  if (cpu === undefined || (os === undefined && cpu !== 'wasm32'))
    throw new Error(`the name of ${path} does not tell its platform`);
  return { cpu: [cpu], libc: library && [libraries[library]], os: os && [os] };
}

/** The lock with an entry for every optional package, in npm's order. */
export function completeLock(lock) {
  const packages = { ...lock.packages };
  for (const { path, version, dev } of missingPackages(lock)) {
    if (!/^\d+\.\d+\.\d+$/.test(version))
      throw new Error(`${path} is wanted as '${version}', not as one version`);
    const { cpu, libc, os } = platformOf(path);
    // Keys in npm's order; JSON leaves out what is undefined.
    packages[path] = { version, cpu, dev, libc, optional: true, os };
  }
  const sorted = Object.keys(packages).sort((a, b) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(sorted.map((path) => [path, packages[path]])) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = completeLock(JSON.parse(readFileSync(lockPath, 'utf8')));
  writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`);
}
