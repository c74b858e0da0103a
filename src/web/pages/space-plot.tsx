import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExperimentRecord } from '../../jobs/hunt/index.js';
import { bytesText } from '../../laboratory/setup/setup.js';

type Dimension = (typeof DIMENSIONS)[number]['name'];

const DIMENSIONS = [
  { name: 'sizes', title: 'message size, mean', isBytes: true },
  { name: 'qps', title: 'queue pairs', isBytes: false },
  { name: 'mrs', title: 'memory regions per QP', isBytes: false },
  { name: 'mrBytes', title: 'bytes of a region', isBytes: true },
  { name: 'batch', title: 'batch', isBytes: false },
  { name: 'queueDepth', title: 'queue depth', isBytes: false },
  { name: 'sge', title: 'elements', isBytes: false },
  { name: 'mtu', title: 'MTU', isBytes: true },
] as const;

const HEIGHT = 260;
const INSET = 14;
/** Equal points are moved apart by this much, so that each is seen. */
const JITTER = 5;

function readingAt({ point }: ExperimentRecord, name: Dimension): number {
  const value = point[name];
  return typeof value === 'number' ? value : value.reduce((sum, each) => sum + each, 0) / value.length;
}

/** Points of the search space as they are tried: two dimensions at a time, what was found at each by its mark. */
export function SpacePlot({ records }: { records: readonly ExperimentRecord[] }): JSX.Element {
  const [across, setAcross] = useState<Dimension>('sizes');
  const [up, setUp] = useState<Dimension>('qps');
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useTheme();
  useEffect(() => {
    const watcher = new ResizeObserver(([{ contentRect }]) => setWidth(Math.floor(contentRect.width)));
    watcher.observe(canvas.current!);
    return () => watcher.disconnect();
  }, []);
  const scales = [across, up].map((name) => scaleOf(records, name));
  useEffect(() => {
    if (canvas.current !== null && width > 0) draw(canvas.current, width, records, across, up);
  }, [records, across, up, width, theme]);
  const anomalous = records.filter(({ observation }) => observation.symptom !== null).length;
  const label = `${records.length} points tried, ${anomalous} of them anomalous`;
  return (
    <figure class="space">
      <figcaption>
        <span class="pick">
          <Pick id="space-up" label="up" value={up} onChoose={setUp} /> over{' '}
          <Pick id="space-across" label="across" value={across} onChoose={setAcross} />
        </span>
        <span class="legend">
          <span class="key dot clean">clean</span>
          <span class="key dot pause">pauses</span>
          <span class="key dot throughput">too slow</span>
          <span class="key dot loss">loses packets</span>
        </span>
      </figcaption>
      <div class="field">
        <span class="ymax">{scales[1].most}</span>
        <span class="ymin">{scales[1].least}</span>
        <canvas ref={canvas} role="img" aria-label={label} height={HEIGHT} />
      </div>
      <div class="xends" aria-hidden="true">
        <span>{scales[0].least}</span>
        <span>{label}; both axes by their logarithm</span>
        <span>{scales[0].most}</span>
      </div>
    </figure>
  );
}

function Pick({
  id,
  label,
  value,
  onChoose,
}: {
  id: string;
  label: string;
  value: Dimension;
  onChoose: (name: Dimension) => void;
}): JSX.Element {
  return (
    <>
      <label class="vh" for={id}>
        Axis {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value as Dimension)}>
        {DIMENSIONS.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </>
  );
}

function useTheme(): string {
  const [theme, setTheme] = useState('');
  useEffect(() => {
    const read = () =>
      setTheme(
        `${document.documentElement.dataset['theme']} ${matchMedia('(prefers-color-scheme: dark)').matches}`,
      );
    const watcher = new MutationObserver(read);
    watcher.observe(document.documentElement, { attributes: true });
    read();
    return () => watcher.disconnect();
  }, []);
  return theme;
}

function scaleOf(records: readonly ExperimentRecord[], name: Dimension): { least: string; most: string } {
  const { isBytes } = DIMENSIONS.find((each) => each.name === name)!;
  const [least, most] = rangeOf(records, name);
  const text = (value: number) => (isBytes ? bytesText(value) : String(Math.round(value)));
  return { least: text(least), most: text(most) };
}

function rangeOf(records: readonly ExperimentRecord[], name: Dimension): [number, number] {
  const values = records.map((record) => readingAt(record, name));
  return values.length === 0 ? [1, 1] : [Math.max(1, Math.min(...values)), Math.max(1, ...values)];
}

function draw(
  canvas: HTMLCanvasElement,
  width: number,
  records: readonly ExperimentRecord[],
  across: Dimension,
  up: Dimension,
): void {
  const ratio = devicePixelRatio;
  canvas.width = width * ratio;
  canvas.height = HEIGHT * ratio;
  canvas.style.height = `${HEIGHT}px`;
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  // A colour of both themes has a value only where something is painted with it: the legend is.
  const keys = canvas.closest('figure')!;
  const colour = (name: string) => getComputedStyle(keys.querySelector(`.key.${name}`)!).color;
  const colours = {
    clean: colour('clean'),
    pause: colour('pause'),
    throughput: colour('throughput'),
    loss: colour('loss'),
  };
  const place = (name: Dimension, length: number) => {
    const [least, most] = rangeOf(records, name);
    const span = Math.log(most / least);
    return (record: ExperimentRecord) =>
      INSET +
      (span === 0 ? 0.5 : Math.log(Math.max(1, readingAt(record, name)) / least) / span) *
        (length - 2 * INSET);
  };
  const [x, y] = [place(across, width), place(up, HEIGHT)];
  for (const record of records) {
    const { symptom } = record.observation;
    // The same experiment stands in the same place each time: its number moves it, not chance.
    const [left, top] = [
      x(record) + (((record.index * 7919) % 101) / 50 - 1) * JITTER,
      HEIGHT - y(record) + (((record.index * 104_729) % 97) / 48 - 1) * JITTER,
    ];
    context.beginPath();
    if (symptom === null) {
      context.fillStyle = colours.clean;
      context.arc(left, top, 2, 0, 7);
      context.fill();
    } else if (symptom === 'pause') {
      context.fillStyle = colours.pause;
      context.arc(left, top, 4, 0, 7);
      context.fill();
    } else if (symptom === 'throughput') {
      context.fillStyle = colours.throughput;
      context.moveTo(left, top - 5);
      context.lineTo(left + 5, top);
      context.lineTo(left, top + 5);
      context.lineTo(left - 5, top);
      context.fill();
    } else {
      context.strokeStyle = colours.loss;
      context.lineWidth = 2;
      context.moveTo(left - 4, top - 4);
      context.lineTo(left + 4, top + 4);
      context.moveTo(left + 4, top - 4);
      context.lineTo(left - 4, top + 4);
      context.stroke();
    }
  }
}
