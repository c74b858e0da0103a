import { Html, html } from '../../../report/html.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

/** A whole page round its main part. It needs no other file and asks nobody but its own server. */
export function shell(title: string, crumbs: string, main: Html, nonce: string): string {
  const style = new Html(`<style nonce="${nonce}">${STYLE}</style>`);
  const script = new Html(`<script nonce="${nonce}">${SCRIPT}</script>`);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><link rel="icon" href="data:,">${style}</head>
<body><a class="skip" href="#main">Skip to the findings</a>
<header class="top"><div><span class="mark">kelpie</span><nav class="crumbs" aria-label="Where you are">${crumbs}</nav><span id="link-state" class="dim">… connecting</span><button class="btn" id="theme" type="button" aria-label="Switch between light and dark">Theme</button></div></header>
<main class="wrap" id="main">${main}</main><div id="live" class="vh" aria-live="polite"></div>${script}</body></html>
`.text;
}
