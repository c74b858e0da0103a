import type { RowResult } from '../jobs/reproduce/index.js';
import { figures } from './figures.js';
import { type Html, html, NOTHING } from './html.js';

/** A row whose source gives one number, relative to it. */
interface Track {
  readonly row: RowResult;
  readonly paper: number;
  readonly simulated: number;
  /** Difference and tolerance in % of the paper's number. */
  readonly off: number;
  readonly allowed: number;
}

/** The scale: this many % below and above the paper's number. */
const REACH = 40;

/** Rows with one number: bar the paper, band what is allowed, dot the simulator; nearest to its limit first. */
export function paperTracks(results: readonly RowResult[]): Html {
  const tracks = results
    .flatMap((row): Track[] => {
      const { paper, simulated } = row;
      const [, allowed] = /^±(\d+(?:\.\d+)?) %$/.exec(row.tolerance) ?? [];
      if (typeof paper !== 'number' || typeof simulated !== 'number' || paper === 0 || allowed === undefined)
        return [];
      return [{ row, paper, simulated, off: (100 * (simulated - paper)) / paper, allowed: Number(allowed) }];
    })
    .sort((one, other) => Math.abs(other.off) / other.allowed - Math.abs(one.off) / one.allowed);
  if (tracks.length === 0) return NOTHING;
  return html`<p class="small muted">Relative to the source, −${REACH} to +${REACH} %. Bar: the source. Band: tolerance. Dot: the simulator; a square is outside the tolerance. Closest to the limit first.</p><ul class="db">${tracks.map(track)}</ul>`;
}

function track({ row, paper, simulated, off, allowed }: Track): Html {
  const at = (percent: number) => 50 + (50 * Math.max(-REACH, Math.min(REACH, percent))) / REACH;
  const words = `${off < 0 ? '−' : '+'}${Math.abs(off).toFixed(1)} %, allowed ±${allowed} %`;
  return html`<li><a class="mono" href="#row-${row.id}">${row.id}</a><span class="tr" role="img" aria-label="${words}"><i class="tol" style="left:${at(-allowed).toFixed(1)}%;width:${(at(allowed) - at(-allowed)).toFixed(1)}%"></i><i class="pa"></i><i class="si${row.ok ? '' : ' no'}" style="left:${at(off).toFixed(1)}%"></i></span><span class="ss dim">${words}</span><span class="v">${figures(paper)} → <b>${figures(simulated)}</b> ${row.unit}</span></li>`;
}
