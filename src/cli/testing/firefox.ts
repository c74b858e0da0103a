import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { WebSocket } from 'ws';
import { BrowserProcess } from './browser-process.js';
import { BrowserPage } from './chromium.js';

/** Where Firefox is installed. */
export function findFirefox(): string | undefined {
  const names = ['firefox-esr', 'firefox'];
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

type Values = Record<string, unknown>;

interface Message {
  id?: number;
  type: 'success' | 'error' | 'event';
  method?: string;
  params?: Values;
  result?: Values;
  error?: string;
  message?: string;
}

/** No first-run pages, no updates, nothing that asks the network by itself. */
const PREFERENCES = `
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
`;

/** Headless Firefox that is told what to do over WebDriver BiDi. */
export class Firefox {
  private readonly process: BrowserProcess;
  private readonly socket: WebSocket;
  private readonly waiting = new Map<
    number,
    { done: (result: Values) => void; failed: (e: Error) => void }
  >();
  private readonly pages = new Map<string, FirefoxPage>();
  private next = 1;

  private constructor(process: BrowserProcess, socket: WebSocket) {
    this.process = process;
    this.socket = socket;
    socket.on('message', (data) => this.read(JSON.parse(String(data)) as Message));
    socket.on('close', () => {
      for (const { failed } of this.waiting.values()) failed(new Error('the browser ended'));
    });
  }

  /** Opens it; pages are dark where it is told so. */
  static async open(path: string, { dark = false }: { dark?: boolean } = {}): Promise<Firefox> {
    const process = BrowserProcess.begin(
      path,
      (profile) => {
        const colours = `user_pref("layout.css.prefers-color-scheme.content-override", ${dark ? 0 : 1});\n`;
        writeFileSync(join(profile, 'user.js'), PREFERENCES + colours);
        return ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
      },
      ['ignore', 'ignore', 'pipe'],
      (profile) => ({ ...globalThis.process.env, MOZ_DISABLE_CONTENT_SANDBOX: '1', HOME: profile }),
    );
    try {
      const browser = new Firefox(process, await connected(process));
      await browser.call('session.new', { capabilities: {} });
      await browser.call('session.subscribe', { events: ['log.entryAdded', 'network.responseCompleted'] });
      return browser;
    } catch (error) {
      await process.end();
      throw error;
    }
  }

  /** Opens a page of this size, in pixels. */
  async page(url: string, size: { width: number; height: number }): Promise<FirefoxPage> {
    const { context } = (await this.call('browsingContext.create', { type: 'tab' })) as { context: string };
    const page = new FirefoxPage(context, (method, values) => this.call(method, values));
    this.pages.set(context, page);
    await this.call('browsingContext.setViewport', { context, viewport: size });
    await this.call('browsingContext.navigate', { context, url, wait: 'complete' });
    return page;
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.process.end();
  }

  private call(method: string, params: object): Promise<Values> {
    const id = this.next++;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
  }

  private read({ id, type, method, params, result, error, message }: Message): void {
    if (type === 'event') {
      const { source, context } = (params ?? {}) as { source?: { context?: string }; context?: string };
      this.pages.get(source?.context ?? context ?? '')?.happened(method!, params!);
      return;
    }
    const waiting = id === undefined ? undefined : this.waiting.get(id);
    this.waiting.delete(id ?? -1);
    if (type === 'success') waiting?.done(result ?? {});
    else waiting?.failed(new Error(`${error}: ${message}`));
  }
}

/** The socket on which it takes orders, once it says where that is. */
async function connected({ child }: BrowserProcess): Promise<WebSocket> {
  const address = await new Promise<string>((done, failed) => {
    let text = '';
    child.stderr!.on('data', (part) => {
      text += part;
      const [, url] = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(text) ?? [];
      if (url !== undefined) done(url);
    });
    child.once('exit', () => failed(new Error(`the browser ended: ${text}`)));
    child.once('error', failed);
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((done, failed) => {
    socket.once('open', done);
    socket.once('error', failed);
  });
  return socket;
}

/** A page in Firefox: told the same things as one in Chromium. */
export class FirefoxPage extends BrowserPage {
  private readonly context: string;
  private readonly ask: (method: string, values: object) => Promise<Values>;

  constructor(context: string, ask: (method: string, values: object) => Promise<Values>) {
    super(ask);
    this.context = context;
    this.ask = ask;
  }

  override happened(method: string, values: Values): void {
    if (method === 'log.entryAdded') {
      const { level, text } = values as { level: string; text: string };
      if (level === 'error' || level === 'warn') this.complaints.push(text);
    } else {
      const { response } = values as { response: { url: string; bytesReceived: number } };
      if (response.url.startsWith('http'))
        this.requests.push({ url: response.url, bytes: response.bytesReceived });
    }
  }

  override async evaluate<Value>(expression: string): Promise<Value> {
    const answer = await this.ask('script.evaluate', {
      expression,
      target: { context: this.context },
      awaitPromise: true,
      serializationOptions: { maxObjectDepth: 8 },
    });
    const { type, result, exceptionDetails } = answer as {
      type: string;
      result: Described;
      exceptionDetails?: { text: string };
    };
    if (type !== 'success') throw new Error(exceptionDetails?.text ?? 'failed');
    return plainOf(result) as Value;
  }

  override async close(): Promise<void> {
    await this.ask('browsingContext.close', { context: this.context });
  }

  override async press(key: string): Promise<void> {
    const value = KEYS[key] ?? key;
    await this.ask('input.performActions', {
      context: this.context,
      actions: [
        {
          type: 'key',
          id: 'keyboard',
          actions: [
            { type: 'keyDown', value },
            { type: 'keyUp', value },
          ],
        },
      ],
    });
  }

  override async screenshot(): Promise<Buffer> {
    const { data } = await this.ask('browsingContext.captureScreenshot', {
      context: this.context,
      origin: 'document',
    });
    return Buffer.from(data as string, 'base64');
  }
}

/** A value as WebDriver describes it. */
interface Described {
  readonly type: string;
  readonly value?: unknown;
}

function plainOf({ type, value }: Described): unknown {
  if (type === 'array') return (value as Described[]).map(plainOf);
  if (type === 'object')
    return Object.fromEntries((value as [string, Described][]).map(([name, each]) => [name, plainOf(each)]));
  return type === 'null' ? null : value;
}

/** Keys by WebDriver's code points. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ ArrowRight: '\ue014', ArrowLeft: '\ue012', ArrowUp: '\ue013', ArrowDown: '\ue015', Tab: '\ue004' },
  ...{ Enter: '\ue007', Escape: '\ue00c', Home: '\ue011', End: '\ue010' },
};
