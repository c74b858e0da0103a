import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

/** Says something to who cannot see the page. */
export function announce(text: string): void {
  const live = document.getElementById('live');
  if (live !== null) live.textContent = text;
}

const ICONS = {
  pause: <path d="M4 2v8M8 2v8" stroke="currentColor" stroke-width="2.4" />,
  throughput: <path d="M6 1.5v8M2.5 6.5 6 10l3.5-3.5" fill="none" stroke="currentColor" stroke-width="2" />,
  loss: <path d="m2.5 2.5 7 7m0-7-7 7" fill="none" stroke="currentColor" stroke-width="2" />,
  ok: <path d="m2 6.5 2.8 2.8L10 3.5" fill="none" stroke="currentColor" stroke-width="2" />,
  bad: <path d="m2.5 2.5 7 7m0-7-7 7" fill="none" stroke="currentColor" stroke-width="2" />,
  warn: <path d="M6 2v5M6 8.8v1.6" stroke="currentColor" stroke-width="2" />,
  unk: (
    <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2 2" />
  ),
} as const;

/** The name of a mark. */
export type IconName = keyof typeof ICONS;

/** A mark that goes with a colour: colour alone says nothing. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true" class="icon">
      {ICONS[name]}
    </svg>
  );
}

/** A word with its mark. */
export function Tag({ mood, children }: { mood: IconName; children: ComponentChildren }): JSX.Element {
  return (
    <span class={`tag ${mood}`}>
      <Icon name={mood} />
      {children}
    </span>
  );
}

/** A share as a bar. */
export function Meter({ share, colour }: { share: number; colour: string }): JSX.Element {
  return (
    <div class="meter" style={{ color: `var(--${colour})` }}>
      <i style={{ width: `${Math.max(0, Math.min(100, share * 100)).toFixed(1)}%` }} />
    </div>
  );
}

/** How far something is. */
export function Progress({ share, text }: { share: number | null; text: string }): JSX.Element {
  const percent = share === null ? null : Math.round(100 * Math.min(1, share));
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={text}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent ?? undefined}
    >
      <i class={percent === null ? 'any' : ''} style={{ width: `${percent ?? 100}%` }} />
    </div>
  );
}

/** Values in their order as a line, from 0 to the most of them. */
export function Spark({ values }: { values: readonly number[] }): JSX.Element {
  const top = Math.max(1e-9, ...values);
  const path = values
    .map(
      (value, index) =>
        `${index === 0 ? 'M' : 'L'}${((100 * index) / Math.max(1, values.length - 1)).toFixed(1)} ${(100 - (96 * value) / top).toFixed(1)}`,
    )
    .join('');
  return (
    <svg class="spark" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path class="c1" d={path} />
    </svg>
  );
}

/** Copies a text and says so on its own button. */
export function CopyButton({ text, label = 'Copy' }: { text: () => string; label?: string }): JSX.Element {
  const [said, setSaid] = useState<string | null>(null);
  const timer = useRef<number | undefined>(undefined);
  const copy = async () => {
    let outcome = 'Copied';
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      outcome = 'Select it to copy';
    }
    setSaid(outcome);
    announce(outcome);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setSaid(null), 1600);
  };
  return (
    <button type="button" class="btn" onClick={copy}>
      {said ?? label}
    </button>
  );
}

/** A command that gives the same numbers; it may have several lines. */
export function Command({ line }: { line: string }): JSX.Element {
  return (
    <div class="cmd">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{line}</code>
      </pre>
      <CopyButton text={() => line} />
    </div>
  );
}

/** Offers a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A part of the page that could not be made: what failed, and what to try. */
export function Fault({ text, children }: { text: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="fault" role="alert">
      <Tag mood="bad">this did not work</Tag>
      <p>{text}</p>
      {children}
    </div>
  );
}

/** Something labelled. */
export function Field({
  label,
  id,
  children,
}: {
  label: string;
  id: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="fld">
      <label class="label" for={id}>
        {label}
      </label>
      {children}
    </div>
  );
}
