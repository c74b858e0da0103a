import { escapeHtml } from '../report/html.js';

const STYLE = `body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;padding:.35rem .5rem;text-align:left;vertical-align:top}
td.n{text-align:right}svg{width:100%;height:auto;font-size:12px}pre{background:#f4f4f4;padding:.7rem;overflow:auto}h2{margin-top:2rem}`;

/** A page that needs no other file; `body` is markup, the title is text. */
export function htmlPage(title: string, body: readonly string[], style = ''): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}${style}</style></head><body>\n${body.join('\n')}\n</body></html>\n`;
}
