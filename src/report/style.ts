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
.over{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}.stack{display:grid;gap:16px}.stack .plot{--high:84px}
.bar{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:8px 16px;margin-top:8px}
.seg{display:inline-flex;flex-wrap:wrap;border:1px solid var(--line-strong);border-radius:8px;overflow:hidden;background:var(--surface)}
.seg button{border:0;border-right:1px solid var(--line);background:none;color:inherit;font:inherit;font-size:13px;padding:5px 12px;min-height:30px;cursor:pointer}.seg button:last-child{border-right:0}.seg [aria-pressed=true]{background:var(--text);color:var(--bg)}
.cause{display:grid;gap:12px;min-width:0;grid-template-columns:minmax(0,1fr)}.cause>h2 .small{font-weight:400}
.an{padding:0;overflow:hidden}.an:target,.row:target{outline:2px solid var(--focus)}
.an>header{display:grid;grid-template-columns:150px minmax(0,1fr);gap:24px;align-items:center;padding:16px 20px;border-bottom:1px solid var(--line)}
.sev b{display:block;font-size:28px;font-weight:650;line-height:1.1;font-variant-numeric:tabular-nums}.pause .sev b{color:var(--d2)}.throughput .sev b{color:var(--d1)}.loss .sev b{color:var(--d4)}
.meter{display:block;height:6px;border-radius:3px;background:var(--line);overflow:hidden;margin:5px 0 3px}.meter i{display:block;height:100%;background:var(--d2)}.meter.throughput i{background:var(--d1)}.meter.loss i{background:var(--d4)}
.tag.pause{color:var(--d2)}.tag.throughput{color:var(--d1)}.tag.loss{color:var(--d4)}
.cols{display:grid;grid-template-columns:minmax(0,4fr) minmax(0,5fr) minmax(0,3.4fr)}.cols>section{padding:16px 20px;min-width:0}.cols>section+section{border-left:1px solid var(--line)}
.cols h4,.an footer h4,.rb h4{margin:0 0 6px;font-size:12px;color:var(--text-3)}.cols h4:not(:first-child),footer h4:not(:first-child){margin-top:12px}.cols figure+figure{margin-top:12px}.cols .plot{--high:84px}.who{font-weight:600;margin-bottom:4px}
.moved{font-size:12px;margin-top:10px}.moved td{overflow-wrap:anywhere}.moved td:not(:first-child){white-space:nowrap}.fix{font-size:13px}.fix li{padding:3px 0 3px 20px;position:relative;line-height:1.4}.fix li::before{content:"✓";position:absolute;left:0;color:var(--ok)}.fix small{display:block;color:var(--ok);font-size:12px}
.an>footer,.rb footer{padding:12px 20px 16px;border-top:1px solid var(--line)}.an footer details,.rb footer details{margin-top:8px}
.rows{padding:0;overflow:hidden}.row+.row{border-top:1px solid var(--line)}.row[open]{background:color-mix(in srgb,var(--sunken) 55%,transparent)}
.row>summary{display:grid;grid-template-columns:58px 84px 104px minmax(0,1fr) 96px 14px;gap:12px;align-items:center;padding:7px 16px;list-style:none;color:inherit}.row>summary::-webkit-details-marker{display:none}
.row>summary::after{content:"›";color:var(--text-3);justify-self:end}.row[open]>summary::after{transform:rotate(90deg)}.row>summary:hover{background:var(--sunken)}
.rs{text-align:right;font-weight:600}.rf{font-size:11.5px;color:var(--text-2);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.rm{color:var(--text-3);white-space:nowrap}.rb{padding:6px 20px 12px}.rb .cols{border-top:1px solid var(--line);margin-top:8px}
.strip th[scope=row]{font-weight:400;font-size:13px;color:var(--text)}.strip td,.strip th{padding:2px 10px 2px 0;vertical-align:middle}.strip .sp,.strip th:last-child{width:58%}
.sp div{position:relative;height:30px;background:linear-gradient(to right,var(--line) 1px,transparent 1px) 0 0/25% 100%;border-right:1px solid var(--line)}.sx{display:flex;justify-content:space-between;font-weight:400}
.mark-dot{position:absolute;top:50%;width:10px;height:10px;margin:-5px;background:var(--c);border:1.5px solid var(--surface)}.mark-dot.pause{--c:var(--d2);border-radius:50%}.mark-dot.throughput{--c:var(--d1);rotate:45deg;scale:.86}.mark-dot.loss{--c:var(--d4)}.mark-dot.open{background:var(--surface);border:2px solid var(--c)}.lane1{top:25%}.lane2{top:75%}
.board{display:grid;grid-template-columns:auto minmax(0,1fr);gap:6px 14px;margin-top:8px;font-size:13px}.board dd{display:flex;flex-wrap:wrap;gap:4px}.bx{display:inline-block;width:16px;height:16px;border-radius:2px;background:var(--d3)}.bx.no{background:var(--bad);border-radius:50%}.bx.wait{background:none;border:2px dotted var(--text-3);border-radius:50%}
.db{display:grid;gap:7px;margin-top:10px}.db li{display:grid;grid-template-columns:52px minmax(0,1.3fr) minmax(0,1fr) 170px;gap:14px;align-items:center;font-size:13px}.tr{position:relative;height:14px;border-bottom:1px solid var(--line-strong)}.tr i{position:absolute;bottom:-1px}.tol{height:14px;background:color-mix(in srgb,var(--d6) 22%,transparent);border-radius:2px}.pa{left:50%;width:2px;height:14px;background:var(--text-3)}.si{width:9px;height:9px;border-radius:50%;background:var(--d1);transform:translate(-50%,-2px)}.si.no{background:var(--bad);border-radius:1px}.db .v{text-align:right;color:var(--text-2);font-variant-numeric:tabular-nums}
.reds li{padding:4px 0;border-bottom:1px solid var(--line)}
.k{display:inline-flex;align-items:center;gap:5px;margin-right:12px;color:var(--text-2)}.k .mark-dot{position:static;margin:0}.k .bx{width:12px;height:12px}
details summary{cursor:pointer;font-size:13px;color:var(--accent)}pre{background:var(--sunken);padding:10px;overflow:auto;font:12px/1.5 var(--mono);border-radius:8px}
.beside{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:24px;align-items:start}.beside .plot{--high:230px}.beside th.r{white-space:normal}
.charts{align-items:start;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(340px,100%),1fr));gap:24px}
figure{margin:0;min-width:0}figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 12px;font-size:12px;color:var(--text-2);margin-bottom:10px}figcaption b{color:var(--text)}
.legend{display:flex;flex-wrap:wrap;gap:2px 12px}.key{display:inline-flex;align-items:center;gap:5px;overflow-wrap:anywhere}.key::before{content:"";flex:none;width:14px;border-top:2px solid var(--c)}.key.dash::before{border-top-style:dashed}.key.pts::before{width:8px;height:8px;border:0;background:var(--c);border-radius:50%}.key.pts.shape1::before,.dot.shape1{border-radius:1px!important;rotate:45deg}.key.pts.shape2::before,.dot.shape2{border-radius:0!important}
.plot{position:relative;margin:0 20px 0 44px;height:var(--high,120px);border-bottom:1px solid var(--line-strong)}.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot path{fill:none;stroke:var(--c);stroke-width:1.6;vector-effect:non-scaling-stroke;stroke-linejoin:round}.plot path.dash{stroke-dasharray:6 4}
.plot .y{position:absolute;right:100%;margin-right:6px;transform:translateY(50%);font-size:11px;color:var(--text-3);white-space:nowrap}
.plot .g{position:absolute;left:0;right:0;border-top:1px solid var(--line)}.plot .g.ref{border-top:1px dashed var(--d6)}.plot .dot{position:absolute;width:7px;height:7px;margin:-3.5px;border-radius:50%;background:var(--c)}
.xaxis{position:relative;height:18px;margin:0 20px 0 44px;font-size:11px;color:var(--text-3)}.xaxis span{position:absolute;transform:translateX(-50%);padding-top:2px;white-space:nowrap}
.nums summary{font-size:11px;color:var(--text-3)}.nums table{font-size:12px}
.xt{font-size:11px;color:var(--text-3);text-align:right}.xaxis span:first-child{transform:none}.xaxis span.end{transform:translateX(-100%)}
.c1{--c:var(--d1)}.c2{--c:var(--d2)}.c3{--c:var(--d3)}.c4{--c:var(--d4)}.c5{--c:var(--d5)}.c6{--c:var(--d6)}
table{border-collapse:collapse;width:100%;font-size:13px}th{text-align:left;font-weight:600;font-size:12px;color:var(--text-3);padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:bottom}
td{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}td.r,th.r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--focus)}th[aria-sort=ascending] button::after{content:" ↑"}th[aria-sort=descending] button::after{content:" ↓"}
.scroll{overflow-x:auto;--end:color-mix(in srgb,var(--text) 22%,transparent);background:linear-gradient(to right,var(--surface) 30%,transparent) left/32px 100% no-repeat local,linear-gradient(to left,var(--surface) 30%,transparent) right/32px 100% no-repeat local,linear-gradient(to right,var(--end),transparent) left/10px 100% no-repeat,linear-gradient(to left,var(--end),transparent) right/10px 100% no-repeat}.scroll:focus-visible{outline-offset:-2px}
.heat{border-collapse:separate;border-spacing:1px;width:auto;font-size:11px}.heat th{padding:1px 4px;border:0;font-weight:400;white-space:nowrap;color:var(--text-2)}
.heat thead th span{writing-mode:vertical-rl;transform:rotate(180deg);display:inline-block}.heat td{padding:2px 3px;border:0;min-width:34px;text-align:center;background:var(--h0);border-radius:2px;font-variant-numeric:tabular-nums;line-height:1.15}
.heat td.s1{background:var(--h1)}.heat td.s2{background:var(--h2)}.heat td.s3{background:var(--h3);color:var(--on-heat)}.heat td.s4{background:var(--h4);color:var(--on-heat)}.heat td.x{outline:2px solid var(--bad);outline-offset:-2px}
.heat td,.heat tbody th{vertical-align:middle}.bar-cell{width:45%}.heat td.at{box-shadow:0 0 0 2px var(--focus)}.says{min-height:1.5em;margin:6px 0 12px}.bars{font-size:13px}.bars caption{text-align:left;padding-bottom:4px}.bars th,.bars td{border:0;padding:2px 10px 2px 0;vertical-align:middle}.bars th{font-weight:400;font-size:13px;color:var(--text);overflow-wrap:anywhere;width:40%}.bars .meter{margin:0}
.heat td.none{background:repeating-linear-gradient(45deg,var(--line),var(--line) 3px,var(--surface) 3px,var(--surface) 6px)}.heat small{display:block;font-size:10px}
.heat.narrow{table-layout:fixed;width:100%;min-width:1120px}.heat.narrow thead th:first-child{width:150px}.heat.narrow th{padding:1px 3px}.heat.narrow thead th{text-align:center}.heat.narrow td{min-width:0;padding:1px 0;height:26px;font-size:10px;line-height:1.1}.heat.narrow abbr{display:block;font-weight:700;text-decoration:none}
.links{width:100%;height:auto;margin:8px 0}.links path{fill:none;stroke:var(--u);stroke-width:var(--w)}.links path.cell{stroke-width:8}.links circle{fill:var(--text-2)}.steps [class^=u] i{background:var(--u)}
.u0{--u:var(--line);--w:1}.u1{--u:color-mix(in srgb,var(--d1) 35%,var(--line));--w:1.5}.u2{--u:color-mix(in srgb,var(--d1) 60%,var(--line));--w:2}.u3{--u:color-mix(in srgb,var(--d1) 80%,var(--line));--w:3}.u4{--u:var(--d1);--w:4}
.steps{display:flex;flex-wrap:wrap;gap:4px 14px;font-size:12px;color:var(--text-2);margin:8px 0}.steps i{display:inline-block;width:16px;height:12px;border:1px solid var(--line-strong);vertical-align:-1px;margin-right:5px}
.row summary .meter{margin:0}
.size+.size{border-top:1px solid var(--line)}.size>summary{display:grid;grid-template-columns:72px minmax(0,1fr);gap:12px;padding:7px 16px;color:inherit}.size>summary b{text-align:right}.size .inside{padding:4px 16px 16px;display:grid;gap:14px;grid-template-columns:minmax(0,1fr)}.size .card{padding:0;border:0;background:none}.size .card>h2{font-size:15px}
@media (max-width:1000px){.over,.cols,.beside{grid-template-columns:minmax(0,1fr)}.cols>section+section{border-left:0;border-top:1px solid var(--line)}.row>summary{grid-template-columns:54px 60px minmax(0,1fr) 14px}.rf,.rm{display:none}.hero{grid-template-columns:minmax(0,1fr);gap:16px}.facts{border-left:0;padding-left:0}}
@media (max-width:700px){.wrap{padding:16px 12px 32px}.top>div{padding:8px 12px}.card{padding:12px 14px}h1{font-size:20px}.facts{gap:12px}.an>header{grid-template-columns:minmax(0,1fr);gap:12px;padding:12px 14px}.cols>section,.an>footer,.rb{padding:12px 14px}.row>summary{grid-template-columns:54px minmax(0,1fr) 14px}.row summary .meter{display:none}.db li{grid-template-columns:44px minmax(0,1fr) 110px;gap:8px}.db .ss{display:none}.strip .sp,.strip th:last-child{width:46%}.sx span:nth-child(2){display:none}.beside .plot{--high:140px}.scroll table:not(.heat){width:max-content;min-width:100%}.scroll td{max-width:15em}.scroll td:first-child{max-width:12em}.seg{width:100%}.seg button{flex:1 1 auto;padding:5px 8px}}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
@media print{.heat td,.steps i,.meter,.meter i,.mark-dot,.bx,.dot,.tr i,.key::before{print-color-adjust:exact;-webkit-print-color-adjust:exact}.heat.narrow{min-width:0}.heat.narrow thead th:first-child{width:110px}.heat.narrow th,.heat.narrow td{font-size:8px}:root,:root[data-theme]{color-scheme:light;--bg:#fff;--sunken:#fff}.top{position:static}.btn,.cmd button{display:none}.card{break-inside:avoid}.seg{display:none}.cmd code{white-space:pre-wrap;overflow-wrap:anywhere}.scroll{overflow:visible}}
`;
