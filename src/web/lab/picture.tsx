import type { JSX } from 'preact';
import {
  type Gauge,
  type Lane,
  levelText,
  type Picture,
  type Pipe,
  type Station,
} from '../../laboratory/view/picture.js';
import { figure } from '../../laboratory/view/reading.js';

const SEGMENTS = 8;
/** The widest flow: a link that is always busy. */
const MOST_WIDTH = 11;

/** Where data flows and waits, in one slice of the run. */
export function LivingPicture({
  picture,
  slice,
  topGbps,
}: {
  picture: Picture;
  slice: number;
  topGbps: number;
}): JSX.Element {
  const { width, height, zones, stations, pipes, pauses } = picture;
  return (
    <>
      <svg
        class="scene"
        viewBox={`0 0 ${width} ${height}`}
        style={{ maxWidth: `${Math.round(1.3 * width)}px` }}
        role="img"
        aria-labelledby="pic-title pic-desc"
      >
        <title id="pic-title">The subsystem at work</title>
        <desc id="pic-desc">{describe(picture, slice)}</desc>
        {zones.map(({ title, x, width: wide }) => (
          <g key={title}>
            <rect class="zone" x={x} y={8} width={wide} height={height - 14} rx={12} />
            <text class="tz" x={x + 14} y={29}>
              {title}
            </text>
          </g>
        ))}
        {pipes.map((pipe) => (
          <PipeView key={pipe.id} pipe={pipe} slice={slice} topGbps={topGbps} />
        ))}
        {stations.map((station) => (
          <StationView key={station.id} station={station} slice={slice} />
        ))}
        {pauses.map(({ id, path, share, at }) => {
          const now = share[slice] ?? 0;
          return (
            <g key={id} class={now > 0 ? 'pz' : 'pz off'}>
              <path class="pf" d={path} marker-end="url(#head)" />
              <text class="ptxt" x={at.x} y={at.y}>
                {`pause ${figure(100 * now)} %`}
              </text>
            </g>
          );
        })}
        <defs>
          <marker
            id="head"
            viewBox="0 0 8 8"
            refX="6"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" class="pfh" />
          </marker>
        </defs>
      </svg>
      <Stations picture={picture} slice={slice} topGbps={topGbps} />
    </>
  );
}

function PipeView({ pipe, slice, topGbps }: { pipe: Pipe; slice: number; topGbps: number }): JSX.Element {
  const { at, title, lanes } = pipe;
  const now = lanes.map((lane) => lane.gbps[slice] ?? 0);
  const most = Math.max(0, ...now);
  // Requests and acknowledgements beside data are not worth a number.
  const told = now.filter((gbps) => gbps >= most / 10);
  // Below a level link there is room for one rate in a line, beside an upright one for both.
  const isLevel = at.anchor === 'middle';
  const rates = isLevel
    ? told.map((each) => `${figure(each)} Gb/s`)
    : [`${told.map(figure).join(' / ')} Gb/s`];
  return (
    <g>
      <path class="pipe" d={pipe.path} />
      {lanes.map((lane, place) => (
        <path
          key={lane.id}
          class={`flow${lane.isLimit ? ' slow' : ''}${now[place] <= 0 ? ' off' : ''}`}
          d={lane.path}
          style={{ strokeWidth: thickness(now[place], topGbps, lanes.length) }}
        />
      ))}
      <text class={`tsub ${at.anchor}`} x={at.x} y={at.y}>
        {title}
      </text>
      {told.length > 0 &&
        rates.map((rate, place) => (
          <text
            key={place}
            class={`tsub num ${at.anchor}`}
            x={at.x}
            y={at.y + (isLevel ? 35 : 13) + 12 * place}
          >
            {rate}
          </text>
        ))}
    </g>
  );
}

function thickness(gbps: number, topGbps: number, lanes: number): number {
  const most = lanes > 1 ? MOST_WIDTH * 0.7 : MOST_WIDTH;
  return Math.max(2, Math.min(most, (most * gbps) / topGbps));
}

/** Narrower boxes have no room for a share in one line. */
const NARROW = 125;

function StationView({ station, slice }: { station: Station; slice: number }): JSX.Element {
  const { kind, title, below, x, y, width, height, gauges, shares, isLimit } = station;
  const isTall = kind === 'nic' || kind === 'fabric';
  const middle = x + width / 2;
  const titleY = isTall
    ? y + 22
    : below === '' && shares.length === 0
      ? y + height / 2 + 5
      : y + height / 2 - 3;
  const said = [
    below,
    ...shares.map((each) => `${each.title} ${figure(100 * (each.share[slice] ?? 0))} %`),
  ].filter((text) => text !== '');
  // A narrow box has a line for the name and one for the number.
  const lines = shares.flatMap(({ title: what, share }) => {
    const percent = `${figure(100 * (share[slice] ?? 0))} %`;
    return width < NARROW ? [what, percent] : [`${what} ${percent}`];
  });
  return (
    <g>
      <rect
        class={`bx ${kind === 'nic' ? 'nic' : ''} ${isLimit ? 'hot' : ''}`}
        x={x}
        y={y}
        width={width}
        height={height}
        rx={8}
      />
      <text class="tl" x={middle} y={titleY}>
        {title}
      </text>
      {!isTall && (
        <text class={isLimit ? 'tsub bad' : 'tsub'} x={middle} y={y + height / 2 + 14}>
          {said[said.length - 1] ?? ''}
        </text>
      )}
      {gauges.map((gauge, place) => (
        <GaugeView
          key={gauge.id}
          gauge={gauge}
          slice={slice}
          x={x + (width * (place + 0.5)) / gauges.length}
          y={y + 40}
          height={height - 104}
        />
      ))}
      {isTall &&
        lines.map((text, place) => (
          <text key={place} class="tsub" x={middle} y={y + height - 8 - 13 * (lines.length - 1 - place)}>
            {text}
          </text>
        ))}
    </g>
  );
}

function GaugeView({
  gauge,
  slice,
  x,
  y,
  height,
}: {
  gauge: Gauge;
  slice: number;
  x: number;
  y: number;
  height: number;
}): JSX.Element {
  const level = (gauge.levels[slice] ?? 0) / gauge.top;
  const filled = level <= 0 ? 0 : Math.max(1, Math.round(SEGMENTS * Math.min(1, level)));
  const step = Math.min(12, height / SEGMENTS);
  const isHot = gauge.isBounded && gauge.unit === 'B' && level > 0.5;
  const [first, ...rest] = gauge.title.length > 8 ? gauge.title.split(' ') : [gauge.title];
  return (
    <g>
      {Array.from({ length: SEGMENTS }, (_, place) => (
        <rect
          key={place}
          class={place >= SEGMENTS - filled ? (isHot ? 'q x' : 'q f') : 'q'}
          x={x - 11}
          y={y + place * step}
          width={22}
          height={step - 2}
          rx={1.5}
        />
      ))}
      <text class="tsub" x={x} y={y + SEGMENTS * step + 13}>
        {first}
      </text>
      <text class="tsub" x={x} y={y + SEGMENTS * step + 25}>
        {rest.join(' ')}
      </text>
      <text class="tsub num" x={x} y={y + SEGMENTS * step + 39}>
        {levelText(gauge, slice)}
      </text>
    </g>
  );
}

/** The same as a list, in the order in which data passes: for narrow screens and for who cannot see the picture. */
function Stations({
  picture,
  slice,
  topGbps,
}: {
  picture: Picture;
  slice: number;
  topGbps: number;
}): JSX.Element {
  const lanes = picture.pipes.flatMap((pipe) => pipe.lanes.map((lane) => ({ lane, gbps: pipe.gbps })));
  const gauges = picture.stations.flatMap((station) => station.gauges);
  const row = (id: string, title: string, part: number, said: string, isFull: boolean) => (
    <li key={id} class={isFull ? 'full' : ''}>
      <b>{title}</b>
      <div class="meter">
        <i style={{ width: `${Math.min(100, 100 * part).toFixed(1)}%` }} />
      </div>
      <span>{said}</span>
    </li>
  );
  return (
    <ul class="stations" aria-label="Queues and links in this slice">
      {gauges.map((gauge) =>
        row(
          gauge.id,
          gauge.longTitle,
          (gauge.levels[slice] ?? 0) / gauge.top,
          levelText(gauge, slice),
          isFull(gauge, slice),
        ),
      )}
      {lanes.map(({ lane, gbps }) =>
        row(
          lane.id,
          lane.longTitle,
          (lane.gbps[slice] ?? 0) / Math.max(topGbps, gbps),
          rateText(lane, slice),
          lane.isLimit,
        ),
      )}
      {picture.pauses.map(({ id, longTitle, share }) =>
        row(
          id,
          longTitle,
          share[slice] ?? 0,
          `${figure(100 * (share[slice] ?? 0))} %`,
          (share[slice] ?? 0) > 0,
        ),
      )}
    </ul>
  );
}

function isFull({ isBounded, unit, levels, top }: Gauge, slice: number): boolean {
  return isBounded && unit === 'B' && (levels[slice] ?? 0) / top > 0.5;
}

function rateText(lane: Lane, slice: number): string {
  return `${figure(lane.gbps[slice] ?? 0)} Gb/s`;
}

function describe({ stations, pauses }: Picture, slice: number): string {
  const gauges = stations.flatMap((station) => station.gauges);
  const queues = gauges.map((gauge) => `${gauge.longTitle}: ${levelText(gauge, slice)}`).join('; ');
  const paused = pauses.map(
    ({ longTitle, share }) => `${longTitle} ${figure(100 * (share[slice] ?? 0))} % of the time`,
  );
  const limit = stations.find(({ isLimit }) => isLimit);
  return [queues, ...paused, ...(limit === undefined ? [] : [`What limits the run is at ${limit.id}`])].join(
    '. ',
  );
}
