// Pictures of the laboratory for README.md and docs, in headless Chromium: part of `npm run screenshots`. Names of
// pictures after it make those alone. The page is the
// static one as it is built; everything on the pictures is run in front of the camera.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BrowserPage, Chromium, findChromium } from '../src/cli/testing/chromium.js';
import { StaticServer } from '../src/cli/testing/static-server.js';

const FOLDER = 'docs/images';
const SIZE = { width: 1280, height: 900 };
const PATIENCE_MS = 300_000;

const path = findChromium();
if (path === undefined) {
  console.error('kelpie: Chromium is not installed');
  process.exit(3);
}

interface Picture {
  readonly name: string;
  readonly hash: string;
  readonly dark?: boolean;
  readonly width?: number;
  readonly height?: number;
  /** Puts the page into the state that is shown. */
  readonly pose: (page: BrowserPage) => Promise<void>;
}

const RUN_HERE = `document.querySelector('.lab')?.dataset.result === 'here'`;
const seek = (slice: number) => `{
  const time = document.querySelector('.time input');
  time.value = ${slice};
  time.dispatchEvent(new Event('input', { bubbles: true }));
}`;

const pictures: readonly Picture[] = [
  {
    ...{ name: 'laboratory', hash: '#/run' },
    pose: async (page) => {
      await page.until(RUN_HERE);
      await page.evaluate(seek(7));
    },
  },
  {
    ...{ name: 'laboratory-hunt', hash: '#/hunt', height: 1120 },
    pose: async (page) => {
      await page.evaluate(`document.querySelector('form .btn.main').click()`);
      await page.until(`document.querySelector('.finds') !== null`, PATIENCE_MS);
    },
  },
  {
    ...{ name: 'laboratory-papers', hash: '#/papers', dark: true, height: 760 },
    pose: async (page) => {
      await page.evaluate(
        `[...document.querySelectorAll('.board button')].find((each) => each.textContent === 'Hostping').click()`,
      );
      await page.until(`document.getElementById('row-G1') !== null`);
      await page.evaluate(
        `for (const id of ['G1', 'G2', 'G3']) document.querySelector('#row-' + id + ' .btn').click()`,
      );
      await page.until(
        `['G1', 'G2', 'G3'].every((id) => document.querySelector('#row-' + id).textContent.includes('run here'))`,
        PATIENCE_MS,
      );
    },
  },
  {
    ...{ name: 'laboratory-narrow', hash: '#/run', dark: true, width: 400, height: 860 },
    pose: async (page) => {
      await page.until(RUN_HERE);
      await page.evaluate(seek(7));
    },
  },
];

mkdirSync(FOLDER, { recursive: true });
const files = await StaticServer.open(resolve('dist/web'));
const browser = Chromium.open(path);
const wanted = process.argv.slice(2);
for (const { name, hash, dark = false, pose, width = SIZE.width, height = SIZE.height } of pictures) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const page = await browser.page(`${files.url}${hash}`, { width, height, dark });
  await page.until(`'kelpie' in window`);
  await pose(page);
  await page.evaluate('scrollTo(0, 0)');
  // A frame to draw it.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))');
  const { data } = await page.call('Page.captureScreenshot', { format: 'png' });
  writeFileSync(join(FOLDER, `${name}.png`), Buffer.from(data as string, 'base64'));
  console.log(`${FOLDER}/${name}.png`);
  await page.close();
}
await browser.close();
await files.close();
process.exit(0);
