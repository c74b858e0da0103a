import { VerbsError } from '../verbs/index.js';

/** Destroys what a program had for a connection. Where the device was closed meanwhile there is nothing to destroy. */
export function discard(end: { destroy(): void }): void {
  try {
    end.destroy();
  } catch (error) {
    if (!(error instanceof VerbsError && error.code === 'OBJECT_DESTROYED')) throw error;
  }
}
