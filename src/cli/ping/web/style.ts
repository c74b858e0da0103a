import { TOKENS } from '../../../report/tokens.js';

/**
 * Colours, type and layout of the pages. Health is never a colour alone: a mark or a line style goes with it. Text keeps
 * at least 4.5:1 on every surface, in both themes; series are distinct under the common kinds of colour blindness.
 */
export const STYLE = `
${TOKENS}
h1{font-size:24px;line-height:1.2;font-weight:650;letter-spacing:-.01em;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:18px;line-height:1.25;overflow-wrap:anywhere}h3{font-size:12px;color:var(--text-3);margin-top:8px}
a{color:var(--accent);text-underline-offset:2px}
.muted{color:var(--text-2)}.dim{color:var(--text-3)}.small{font-size:13px}.xs{font-size:12px}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;z-index:9;background:var(--surface);padding:8px}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.top{position:sticky;top:0;z-index:5;background:var(--bg);border-bottom:1px solid var(--line)}
.top>div{max-width:1240px;margin:0 auto;padding:10px 20px;display:flex;align-items:center;gap:12px;min-height:48px}
.mark{font-weight:700}.crumbs{flex:1;min-width:0;font-size:13px;color:var(--text-2);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.btn{font:inherit;font-size:13px;color:inherit;border:1px solid var(--line-strong);background:var(--surface);border-radius:4px;padding:4px 10px;min-height:30px;cursor:pointer}
#link-state{font-size:12px;white-space:nowrap}
.wrap{max-width:1240px;margin:0 auto;padding:24px 20px 48px;display:grid;gap:16px}
.card{background:var(--surface);border:1px solid var(--line);border-radius:12px;min-width:0}.pad{padding:16px 20px}
.chips{display:flex;flex-wrap:wrap;gap:6px;margin:6px 0}.chip{font-size:12px;padding:1px 8px;border:1px solid var(--line);border-radius:4px;background:var(--sunken)}
.tag{font-size:12px;font-weight:600;white-space:nowrap;margin-right:8px}
.tag.normal,.ok{color:var(--ok)}.tag.abnormal,.bad{color:var(--bad)}.tag.flapping,.tag.outlier{color:var(--warn)}.tag.overloaded{color:var(--busy)}.tag.gray,.tag.unknown,.tag.silent{color:var(--unknown)}
.hero{display:grid;grid-template-columns:minmax(0,1fr) 360px;gap:32px;align-items:start}.hero h1{margin:6px 0 8px}.lead{max-width:66ch;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:repeat(3,auto);gap:12px 24px;border-left:1px solid var(--line-strong);padding-left:24px}
.facts dt{font-size:12px;color:var(--text-3)}.facts dd{font-size:15px;font-weight:600;font-variant-numeric:tabular-nums}
.hd{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:8px 16px;margin-bottom:12px}
.lk{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:12px;color:var(--text-2)}.lk span{display:inline-flex;gap:6px;align-items:center}.lk svg{width:34px;height:18px}
.topo{--f:13px}.topo svg{display:block;width:100%;height:auto;max-height:560px}.topo.n{display:none;--f:16px}
.topo text{font:600 var(--f) var(--sans);fill:var(--text);text-anchor:middle}
.bx rect{fill:var(--surface);stroke:var(--line-strong);stroke-width:1.3}.bx.socket rect{fill:var(--sunken)}.bx.rnic rect{fill:var(--accent-soft);stroke:var(--accent)}
.l path{fill:none;stroke:var(--ok);stroke-width:3.4;stroke-linecap:round}.l .halo{opacity:0;stroke-width:15}
.l circle{fill:var(--surface);stroke:currentColor;stroke-width:1.6}.l text,.topo .l text{font:700 13px var(--sans);fill:currentColor;text-anchor:middle}
.l.abnormal{color:var(--bad)}.l.abnormal path{stroke:var(--bad)}.l.abnormal .halo{opacity:.16}
.l.flapping{color:var(--warn)}.l.flapping path{stroke:var(--warn);stroke-dasharray:9 6}
.l.overloaded{color:var(--busy)}.l.overloaded path{stroke:var(--busy);stroke-dasharray:2 5;stroke-width:6;stroke-linecap:butt}
.l.gray{color:var(--unknown)}.l.gray path{stroke:var(--unknown);stroke-dasharray:1 7}
.l.unknown path{stroke:var(--unknown);stroke-width:1.6}
.l.flapping .halo,.l.overloaded .halo,.l.gray .halo{stroke-dasharray:none}
.hl .l{opacity:.2}.hl .l.on{opacity:1}.hl .l.on path{stroke-width:6}.hl .l.on .halo{stroke-width:15}
.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:16px}.three{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,4fr);gap:16px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px}th{text-align:left;font-size:12px;color:var(--text-3)}
.mx{border-collapse:separate;border-spacing:2px}.mx th,.mx td{padding:0 2px}.mx thead th{text-align:center;max-width:80px;overflow:hidden;text-overflow:ellipsis}
.mx tbody th{max-width:90px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;position:sticky;left:0;background:var(--surface)}
.mx tbody td{height:34px;min-width:30px;text-align:center;background:var(--h0);border-radius:3px;font-variant-numeric:tabular-nums;cursor:pointer;white-space:nowrap}
.mx td.far{color:var(--text-3)}.mx td.bad{background:var(--h3);color:var(--on-heat);font-weight:700}.mx td:hover{outline:2px solid var(--focus)}
.say{min-height:2.9em;font-size:12px;color:var(--text-2);margin-top:8px}
.hrow{display:grid;grid-template-columns:150px minmax(0,1fr) 92px;gap:6px 16px;align-items:center;font-size:13px;margin-top:10px}.hrow>:first-child{overflow-wrap:anywhere}
.bars{width:100%;height:34px;border-bottom:1px solid var(--line-strong)}.bars rect{fill:var(--ok);opacity:.55}
.bars .abnormal{fill:var(--bad);opacity:1}.bars .flapping{fill:var(--warn);opacity:1}.bars .overloaded{fill:var(--busy);opacity:1}.bars .gray,.bars .unknown{fill:var(--unknown)}
input[type=range]{width:100%;accent-color:var(--accent)}input[type=search]{font:inherit;color:inherit;background:var(--surface);border:1px solid var(--line-strong);border-radius:4px;padding:4px 8px;max-width:100%}
.fleet td,.fleet th{padding:5px 8px 5px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}.fleet tr{content-visibility:auto}.fleet .tag{margin:0}
.foot{max-width:90ch;overflow-wrap:anywhere}
@media (max-width:1000px){.hero,.two,.three{grid-template-columns:minmax(0,1fr)}.hero{gap:16px}.facts{border-left:0;padding-left:0}}
@media (max-width:700px){.wrap{padding:16px 12px 32px}.top>div{padding:8px 12px;gap:8px}.pad{padding:12px 14px}h1{font-size:20px}
.topo.w{display:none}.topo.n{display:block}.topo svg{max-height:none}.facts{gap:12px}.hrow{grid-template-columns:minmax(0,1fr) auto}.hrow svg{grid-column:1/-1;grid-row:2}
.mx{font-size:11px;border-spacing:1px}.mx thead th{font-size:11px}.fleet .opt{display:none}}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
@media print{.top{position:static}.btn,#slider{display:none}.card{break-inside:avoid}}
`;
