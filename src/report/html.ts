/** Markup that is safe to send: made by {@link html} alone. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[];

/**
 * Markup with values in it; every value that is no markup itself is escaped, in text and in quoted attributes.
 *
 * @example
 * html`<b title="${name}">${name}</b>`;
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0];
  parts.forEach((part, index) => {
    text += textOf(part) + strings[index + 1];
  });
  return new Html(text);
}

/** Nothing. */
export const NOTHING = html``;

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escapeHtml(String(part));
}

/** Text that cannot become markup. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}
