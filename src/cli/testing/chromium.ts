import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { BrowserProcess } from './browser-process.js';

/** Where Chromium is installed. */
export function findChromium(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

interface Reply {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
  /** Of what happens by itself. */
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** Headless Chromium that is told what to do over a pipe. */
export class Chromium {
  private readonly process: BrowserProcess;
  private readonly waiting = new Map<
    number,
    { done: (result: Record<string, unknown>) => void; failed: (e: Error) => void }
  >();
  private readonly pages = new Map<string, BrowserPage>();
  private next = 1;
  private rest = '';

  private constructor(process: BrowserProcess) {
    this.process = process;
    const { child } = process;
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => this.read(text));
    // Orders to a browser that has ended.
    (child.stdio[3] as Writable).on('error', () => {});
    child.on('exit', () => {
      for (const { failed } of this.waiting.values()) failed(new Error('the browser ended'));
    });
  }

  static open(path: string): Chromium {
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--hide-scrollbars',
    ];
    const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
    return new Chromium(
      BrowserProcess.begin(
        path,
        (profile) => [...flags, ...quiet, '--remote-debugging-pipe', `--user-data-dir=${profile}`],
        ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      ),
    );
  }

  /** Opens a page of this size, in pixels. */
  async page(url: string, size: { width: number; height: number; dark?: boolean }): Promise<BrowserPage> {
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
    const page = new BrowserPage((method, values) => this.call(method, values, sessionId as string));
    await page.call('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false });
    const value = size.dark === true ? 'dark' : 'light';
    await page.call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
    this.pages.set(sessionId as string, page);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.call(`${domain}.enable`, {});
    await page.call('Page.navigate', { url });
    if (url !== 'about:blank')
      await page.until(`document.readyState === 'complete' && location.href !== 'about:blank'`);
    return page;
  }

  async close(): Promise<void> {
    await this.process.end();
  }

  private call(method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> {
    const id = this.next++;
    (this.process.child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
  }

  private read(text: string): void {
    const messages = (this.rest + text).split('\0');
    this.rest = messages.pop()!;
    for (const message of messages) {
      const { id, result, error, method, params, sessionId } = JSON.parse(message) as Reply;
      if (method !== undefined) this.pages.get(sessionId ?? '')?.happened(method, params ?? {});
      const waiting = id === undefined ? undefined : this.waiting.get(id);
      if (waiting === undefined) continue;
      this.waiting.delete(id!);
      if (error === undefined) waiting.done(result ?? {});
      else waiting.failed(new Error(error.message));
    }
  }
}

/** A page in a browser. */
export class BrowserPage {
  /** What the page complained about: errors and warnings of the console, and what it did not catch. */
  readonly complaints: string[] = [];
  /** Every file that came, with the bytes that crossed the network for it. */
  readonly requests: { url: string; bytes: number }[] = [];
  private readonly asked = new Map<string, string>();
  readonly call: (method: string, values: object) => Promise<Record<string, unknown>>;

  constructor(call: (method: string, values: object) => Promise<Record<string, unknown>>) {
    this.call = call;
  }

  /** Takes what the browser tells of the page. */
  happened(method: string, values: Record<string, unknown>): void {
    if (method === 'Runtime.exceptionThrown') {
      const { exceptionDetails } = values as {
        exceptionDetails: { text: string; exception?: { description?: string } };
      };
      this.complaints.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
    } else if (method === 'Runtime.consoleAPICalled') {
      const { type, args } = values as { type: string; args: { value?: unknown }[] };
      if (type === 'error' || type === 'warning')
        this.complaints.push(args.map(({ value }) => String(value)).join(' '));
    } else if (method === 'Log.entryAdded') {
      const { entry } = values as { entry: { level: string; text: string } };
      if (entry.level === 'error' || entry.level === 'warning') this.complaints.push(entry.text);
    } else if (method === 'Network.requestWillBeSent') {
      const { requestId, request } = values as { requestId: string; request: { url: string } };
      this.asked.set(requestId, request.url);
    } else if (method === 'Network.loadingFinished') {
      const { requestId, encodedDataLength } = values as { requestId: string; encodedDataLength: number };
      this.requests.push({ url: this.asked.get(requestId) ?? '', bytes: encodedDataLength });
    }
  }

  /** The value of an expression in the page. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const answer = await this.call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    const { result, exceptionDetails } = answer as {
      result: { value: Value };
      exceptionDetails?: { exception?: { description?: string } };
    };
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? 'failed');
    return result.value;
  }

  /** Waits until an expression is true; the bound is for machines that are slow and busy. */
  async until(expression: string, patienceMs = 60_000): Promise<void> {
    const endMs = Date.now() + patienceMs;
    while (!(await this.evaluate<boolean>(expression))) {
      if (Date.now() > endMs) throw new Error(`never came true: ${expression}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** Closes the page: what it ran ends with it. */
  async close(): Promise<void> {
    await this.call('Page.close', {});
  }

  async press(key: string): Promise<void> {
    for (const type of ['keyDown', 'keyUp'])
      await this.call('Input.dispatchKeyEvent', { type, key, code: key });
  }

  /** The page as a PNG, as high as it is. */
  async screenshot(width: number): Promise<Buffer> {
    const height = await this.evaluate<number>('document.documentElement.scrollHeight');
    const clip = { x: 0, y: 0, width, height, scale: 1 };
    const { data } = await this.call('Page.captureScreenshot', {
      format: 'png',
      clip,
      captureBeyondViewport: true,
    });
    return Buffer.from(data as string, 'base64');
  }

  /** What axe, the checker of accessibility whose script is given, finds serious or critical. */
  async accessibility(axe: string): Promise<string[]> {
    await this.evaluate(`${axe};0`);
    return this.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(' | ')))`);
  }

  /** What must be seen beside each other and is not: boxes of siblings that overlap, and what is wider than the page. */
  overlaps(): Promise<string[]> {
    return this.evaluate(`(() => {
      const found = [];
      const width = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth > width) found.push('the page is wider than the screen');
      const shown = (each) => { const box = each.getBoundingClientRect(); return box.width > 1 && box.height > 1; };
      for (const parent of document.querySelectorAll('main, main section, main div, main dl, header > div')) {
        // Marks of a chart lie on its lines, or on each other.
        if (parent.closest('.plot, .sp, .resp, .tr')) continue;
        const boxes = [...parent.children].filter(shown).map((each) => [each, each.getBoundingClientRect()]);
        boxes.forEach(([one, a], index) => boxes.slice(index + 1).forEach(([other, b]) => {
          const apart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
          if (!apart) found.push(one.outerHTML.slice(0, 80) + ' / ' + other.outerHTML.slice(0, 80));
        }));
      }
      return found;
    })()`);
  }
}
