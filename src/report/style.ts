import { TOKENS } from './tokens.js';

/** Layout of reports. Charts have their text in HTML round a stretched SVG, so that it never scales or overlaps. */
export const STYLE = `
${TOKENS}
h1{font-size:24px;line-height:1.2;font-weight:650;letter-spacing:-.01em;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:18px;line-height:1.25;overflow-wrap:anywhere}h3{font-size:15px;line-height:1.35;overflow-wrap:anywhere}
a{color:var(--accent);text-underline-offset:2px}code,.mono{font-family:var(--mono);font-size:.92em}
.muted{color:var(--text-2)}.dim{color:var(--text-3)}.small{font-size:13px}.xs{font-size:12px}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;z-index:9;background:var(--surface);padding:8px}
.top{position:sticky;top:0;z-index:5;background:var(--bg);border-bottom:1px solid var(--line)}
.top>div{max-width:1240px;margin:0 auto;padding:10px 20px;display:flex;align-items:center;gap:12px;min-height:48px}
.mark{font-weight:700}.crumbs{flex:1;min-width:0;font-size:13px;color:var(--text-2);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.btn{font:inherit;font-size:13px;color:inherit;border:1px solid var(--line-strong);background:var(--surface);border-radius:4px;padding:4px 10px;min-height:30px;cursor:pointer}
.wrap{max-width:1240px;margin:0 auto;padding:24px 20px 48px;display:grid;gap:16px;grid-template-columns:minmax(0,1fr)}
.card{background:var(--surface);border:1px solid var(--line);border-radius:12px;min-width:0;padding:16px 20px}.card>h2{margin-bottom:10px}
.hero{display:grid;grid-template-columns:minmax(0,1fr) 380px;gap:32px;align-items:start}.hero h1{margin:6px 0 8px}.lead{max-width:66ch;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:repeat(3,auto);gap:12px 24px;border-left:1px solid var(--line-strong);padding-left:24px;margin:0}
.facts dt{font-size:12px;color:var(--text-3)}.facts dd{font-size:15px;font-weight:600;font-variant-numeric:tabular-nums}
.tag{font-size:12px;font-weight:600;margin-right:8px}.tag.ok{color:var(--ok)}.tag.bad{color:var(--bad)}.tag.warn{color:var(--warn)}.tag.unk{color:var(--unknown)}
.chips{display:flex;flex-wrap:wrap;gap:6px;margin:6px 0}.chip{font-size:12px;padding:1px 8px;border:1px solid var(--line);border-radius:4px;background:var(--sunken);overflow-wrap:anywhere}
.cmd{display:flex;align-items:stretch;background:var(--sunken);border:1px solid var(--line);border-radius:8px;overflow:hidden;margin-top:8px;min-width:0}
.cmd code{flex:1;min-width:0;padding:7px 12px;overflow-x:auto;white-space:nowrap;font-size:12.5px}.cmd code::before{content:"$ ";color:var(--text-3)}
.cmd button{border:0;border-left:1px solid var(--line);background:transparent;padding:0 14px;font:600 12px/1 var(--sans);color:var(--accent);cursor:pointer}
.cause{display:grid;gap:12px}.finding{border-top:1px solid var(--line);padding-top:12px;display:grid;gap:8px;min-width:0}
.finding>header{display:grid;grid-template-columns:120px minmax(0,1fr);gap:16px;align-items:start}
.sev{font-size:24px;font-weight:650;line-height:1.1;font-variant-numeric:tabular-nums}.meter{height:6px;border-radius:3px;background:var(--line);overflow:hidden;margin-top:6px}
.meter i{display:block;height:100%;background:var(--d2)}.meter.throughput i{background:var(--d1)}.meter.loss i{background:var(--d4)}
.four{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px 24px}.four h4{margin:0;font-size:12px;color:var(--text-3)}.four li{overflow-wrap:anywhere}
details summary{cursor:pointer;font-size:13px;color:var(--accent)}pre{background:var(--sunken);padding:10px;overflow:auto;font:12px/1.5 var(--mono);border-radius:8px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(340px,100%),1fr));gap:24px}
figure{margin:0;min-width:0}figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 12px;font-size:12px;color:var(--text-2);margin-bottom:10px}figcaption b{color:var(--text)}
.legend{display:flex;flex-wrap:wrap;gap:2px 12px}.key{display:inline-flex;align-items:center;gap:5px;overflow-wrap:anywhere}.key::before{content:"";flex:none;width:14px;border-top:2px solid var(--c)}.key.dash::before{border-top-style:dashed}
.plot{position:relative;margin-left:44px;height:var(--high,120px);border-bottom:1px solid var(--line-strong)}.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot path{fill:none;stroke:var(--c);stroke-width:1.6;vector-effect:non-scaling-stroke;stroke-linejoin:round}.plot path.dash{stroke-dasharray:6 4}
.plot .y{position:absolute;right:100%;margin-right:6px;transform:translateY(50%);font-size:11px;color:var(--text-3);white-space:nowrap}
.plot .g{position:absolute;left:0;right:0;border-top:1px solid var(--line)}.plot .g.ref{border-top:1px dashed var(--d6)}.plot .dot{position:absolute;width:7px;height:7px;margin:-3.5px;border-radius:50%;background:var(--c)}
.xaxis{position:relative;height:18px;margin-left:44px;font-size:11px;color:var(--text-3)}.xaxis span{position:absolute;transform:translateX(-50%);padding-top:2px;white-space:nowrap}
.nums summary{font-size:11px;color:var(--text-3)}.nums table{font-size:12px}
.xt{font-size:11px;color:var(--text-3);text-align:right}.xaxis span:first-child{transform:none}.xaxis span.end{transform:translateX(-100%)}
.c1{--c:var(--d1)}.c2{--c:var(--d2)}.c3{--c:var(--d3)}.c4{--c:var(--d4)}.c5{--c:var(--d5)}.c6{--c:var(--d6)}
table{border-collapse:collapse;width:100%;font-size:13px}th{text-align:left;font-weight:600;font-size:12px;color:var(--text-3);padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:bottom}
td{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}td.r,th.r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--focus)}th[aria-sort=ascending] button::after{content:" ↑"}th[aria-sort=descending] button::after{content:" ↓"}
.scroll{overflow-x:auto}.scroll:focus-visible{outline-offset:-2px}
.heat{border-collapse:separate;border-spacing:1px;width:auto;font-size:11px}.heat th{padding:1px 4px;border:0;font-weight:400;white-space:nowrap;color:var(--text-2)}
.heat thead th span{writing-mode:vertical-rl;transform:rotate(180deg);display:inline-block}.heat td{padding:2px 3px;border:0;min-width:34px;text-align:center;background:var(--h0);border-radius:2px;font-variant-numeric:tabular-nums;line-height:1.15}
.heat td.s1{background:var(--h1)}.heat td.s2{background:var(--h2)}.heat td.s3{background:var(--h3);color:var(--on-heat)}.heat td.s4{background:var(--h4);color:var(--on-heat)}.heat td.x{outline:2px solid var(--bad);outline-offset:-2px}
.heat td.none{background:repeating-linear-gradient(45deg,var(--line),var(--line) 3px,var(--surface) 3px,var(--surface) 6px)}.heat small{display:block;font-size:10px}
.links{width:100%;height:auto;margin:8px 0}.links path{fill:none;stroke:var(--u);stroke-width:var(--w)}.links path.cell{stroke-width:8}.links circle{fill:var(--text-2)}.steps [class^=u] i{background:var(--u)}
.u0{--u:var(--line);--w:1}.u1{--u:color-mix(in srgb,var(--d1) 35%,var(--line));--w:1.5}.u2{--u:color-mix(in srgb,var(--d1) 60%,var(--line));--w:2}.u3{--u:color-mix(in srgb,var(--d1) 80%,var(--line));--w:3}.u4{--u:var(--d1);--w:4}
.steps{display:flex;flex-wrap:wrap;gap:4px 14px;font-size:12px;color:var(--text-2);margin:8px 0}.steps i{display:inline-block;width:16px;height:12px;border:1px solid var(--line-strong);vertical-align:-1px;margin-right:5px}
@media (max-width:1000px){.hero{grid-template-columns:minmax(0,1fr);gap:16px}.facts{border-left:0;padding-left:0}}
@media (max-width:700px){.wrap{padding:16px 12px 32px}.top>div{padding:8px 12px}.card{padding:12px 14px}h1{font-size:20px}.facts{gap:12px}.four,.finding>header{grid-template-columns:minmax(0,1fr)}}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
@media print{:root,:root[data-theme]{color-scheme:light;--bg:#fff;--sunken:#fff}.top{position:static}.btn,.cmd button{display:none}.card,.finding{break-inside:avoid}.cmd code{white-space:pre-wrap;overflow-wrap:anywhere}.scroll{overflow:visible}}
`;
