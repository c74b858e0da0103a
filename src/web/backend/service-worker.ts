// Keeps the files of the laboratory, so that it opens without a network. The build fills in which files, and their version.
declare const FILES: readonly string[];
declare const RELEASE: string;

/** What a service worker has: the page's own types do not know it. */
interface WorkerScope {
  addEventListener(
    kind: 'install' | 'activate',
    act: (event: { waitUntil(done: Promise<unknown>): void }) => void,
  ): void;
  addEventListener(
    kind: 'fetch',
    act: (event: { readonly request: Request; respondWith(answer: Promise<Response>): void }) => void,
  ): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

const scope = self as unknown as WorkerScope;
const CACHE = `kelpie-${RELEASE}`;

scope.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      // Past the browser's own cache: all files are of one release.
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' }))))
      .then(() => scope.skipWaiting()),
  );
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith('kelpie-') && name !== CACHE)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => scope.clients.claim()),
  );
});

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  event.respondWith(answer(request));
});

/** The page from the network where there is one, so that a new release is seen; its files from the cache of that release. */
async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  if (request.mode === 'navigate') {
    try {
      return await fetch(request);
    } catch {
      return (await cache.match('./')) ?? Response.error();
    }
  }
  return (await cache.match(request)) ?? fetch(request);
}
