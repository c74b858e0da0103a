import { VERSION } from '../version.js';
import { Html, html, NOTHING } from './html.js';
import { command, type Fact, facts } from './parts.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

/** What a report says, from the top. */
export interface Report {
  /** Of the browser's tab. */
  readonly title: string;
  /** What it is the report of: `kelpie hunt`. */
  readonly job: string;
  /** How good it is: a mark before the sentence. */
  readonly mood: 'ok' | 'bad' | 'warn';
  /** The words of the mark; those of the mood unless set. */
  readonly tag?: string;
  /** The answer, as one sentence. */
  readonly headline: string;
  readonly lead: string;
  readonly facts: readonly Fact[];
  /** The command that makes it again. */
  readonly command: string;
  readonly body: readonly Html[];
}

const MARKS = { ok: '✓', bad: '✕', warn: '!' } as const;
const MOODS = { ok: 'all well', bad: 'something was found', warn: 'not complete' } as const;

/** A report as one file that needs no other: light and dark, narrow and wide, and on paper. */
export function reportPage({
  title,
  job,
  mood,
  tag = MOODS[mood],
  headline,
  lead,
  facts: given,
  command: line,
  body,
}: Report): string {
  const style = new Html(`<style>${STYLE}</style>`);
  const script = new Html(`<script>${SCRIPT}</script>`);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><link rel="icon" href="data:,">${style}</head>
<body><a class="skip" href="#main">Skip to the findings</a>
<header class="top"><div><span class="mark">kelpie</span><span class="crumbs">${job} · version ${VERSION}</span><button class="btn" id="theme" type="button">Light or dark</button></div></header>
<main class="wrap" id="main"><section class="hero"><div><span class="tag ${mood}">${MARKS[mood]} ${tag}</span><h1>${headline}</h1>${lead === '' ? NOTHING : html`<p class="lead muted">${lead}</p>`}${line === '' ? NOTHING : command(line)}</div>${facts(given)}</section>
${body}</main>${script}</body></html>
`.text;
}
