import type { JSX } from 'preact';
import { fitting, horizontalAxis, verticalAxis } from '../report/scale.js';

/** A line over time. */
export interface SeriesLine {
  readonly name: string;
  readonly values: readonly number[];
  /** Of the six series colours. */
  readonly colour: number;
  readonly dashed?: boolean;
}

interface TimeSeriesProps {
  readonly title: string;
  /** Behind the title: unit, and what a dashed line is. */
  readonly about: string;
  /** Ends of the slices. */
  readonly timeNs: readonly number[];
  readonly lines: readonly SeriesLine[];
  /** The axis ends here, or a little above what there is where that is more. */
  readonly top: number;
  /** A dashed reference. */
  readonly reference?: number;
  /** The slice that the picture shows. */
  readonly slice?: number;
}

/** One quantity over time: text in HTML round a stretched SVG, so that it never scales. */
export function TimeSeries({
  title,
  about,
  timeNs,
  lines,
  top,
  reference,
  slice,
}: TimeSeriesProps): JSX.Element {
  const vertical = verticalAxis(Math.max(top, ...lines.flatMap(({ values }) => values)));
  const across = horizontalAxis([0, (timeNs[timeNs.length - 1] ?? 1) / 1000], 'linear');
  const at = (index: number) => across.at((timeNs[index] ?? 0) / 1000);
  const path = (values: readonly number[]) =>
    values
      .map(
        (value, index) =>
          `${index === 0 ? 'M' : 'L'}${at(index).toFixed(2)} ${(100 - vertical.at(value)).toFixed(2)}`,
      )
      .join('');
  const said = lines
    .map(
      ({ name, values }) => `${name}: ${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`,
    )
    .join('; ');
  return (
    <figure class="ts">
      <figcaption>
        <span>
          <b>{title}</b>, {about}
        </span>
        {lines.length > 1 && (
          <span class="legend">
            {lines.map(({ name, colour, dashed }) => (
              <span key={name} class={`key c${colour}${dashed ? ' dash' : ''}`}>
                {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <div class="plot">
        {vertical.ticks.map(([tick, label]) => (
          <span key={tick}>
            <span class="g" style={{ bottom: `${vertical.at(tick)}%` }} />
            <span class="y" style={{ bottom: `${vertical.at(tick)}%` }}>
              {label}
            </span>
          </span>
        ))}
        {reference !== undefined && <span class="g ref" style={{ bottom: `${vertical.at(reference)}%` }} />}
        <svg
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}, ${about}. ${said}`}
        >
          {lines.map(({ name, values, colour, dashed }) => (
            <path key={name} class={`c${colour}${dashed ? ' dash' : ''}`} d={path(values)} />
          ))}
        </svg>
        {slice !== undefined && <i class="now" style={{ left: `${at(slice)}%` }} />}
      </div>
      <div class="xaxis" aria-hidden="true">
        {fitting(across, ([, label]) => `${label} µs`).map(([us, label], index, shown) => (
          <span key={us} style={{ left: `${across.at(us)}%` }}>
            {label}
            {index === shown.length - 1 ? ' µs' : ''}
          </span>
        ))}
      </div>
    </figure>
  );
}
