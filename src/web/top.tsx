import type { ComponentChildren, JSX } from 'preact';

/** A page behind the head's links. */
export interface TopLink {
  readonly name: string;
  readonly title: string;
}

/** The head of every page: where else to go, and who runs what is shown. */
export function Top({
  links,
  current,
  children,
}: {
  links: readonly TopLink[];
  current: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <header class="top">
      <div>
        <a class="mark" href={`#/${links[0].name}`}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path
              d="M2 9c3-4 6-4 9 0s6 4 11 0M2 16c3-4 6-4 9 0s6 4 11 0"
              fill="none"
              stroke="currentColor"
              stroke-width="2.4"
              stroke-linecap="round"
            />
          </svg>
          kelpie
        </a>
        <nav aria-label="Pages">
          {links.map(({ name, title }) => (
            <a key={name} href={`#/${name}`} aria-current={current === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="where xs dim">{children}</span>
        <button type="button" class="btn" onClick={switchTheme} title="Switch between light and dark">
          Theme
        </button>
      </div>
    </header>
  );
}

function switchTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset['theme'] === undefined
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : dataset['theme'] === 'dark';
  dataset['theme'] = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem('kelpie-theme', dataset['theme']);
  } catch {
    // A window that keeps nothing forgets this too.
  }
}
