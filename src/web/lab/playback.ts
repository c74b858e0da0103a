import { useEffect, useState } from 'preact/hooks';

/** How long a slice of the run is shown. */
export const SLICE_MS = 140;

/** Which slice of a run is shown, and whether time goes on. */
export interface Playback {
  readonly slice: number;
  readonly isPlaying: boolean;
  play(isPlaying: boolean): void;
  seek(slice: number): void;
}

/** Goes through the slices of a run again and again, unless who looks wants no motion. */
export function usePlayback(slices: number): Playback {
  const [slice, setSlice] = useState(0);
  const [isPlaying, setPlaying] = useState(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  useEffect(() => {
    if (!isPlaying || slices < 2) return;
    const timer = setInterval(() => {
      if (!document.hidden) setSlice((now) => (now + 1) % slices);
    }, SLICE_MS);
    return () => clearInterval(timer);
  }, [isPlaying, slices]);
  return {
    slice: Math.min(slice, Math.max(0, slices - 1)),
    isPlaying,
    play: setPlaying,
    seek: (to) => {
      setPlaying(false);
      setSlice(to);
    },
  };
}
