import { useEffect, useState } from 'preact/hooks';

/** Something whose state changes, and which tells who looks at it. */
export class Observable<State extends object> {
  state: State;
  private readonly watchers = new Set<() => void>();

  constructor(state: State) {
    this.state = state;
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  protected update(changes: Partial<State>): void {
    this.state = { ...this.state, ...changes };
    for (const watcher of [...this.watchers]) watcher();
  }
}

/** The state of something, in a component that is drawn again when it changes. */
export function useObserved<State extends object>(observed: Observable<State>): State {
  const [, redraw] = useState(0);
  useEffect(() => observed.watch(() => redraw((count) => count + 1)), [observed]);
  return observed.state;
}
