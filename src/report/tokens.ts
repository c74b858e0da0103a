/**
 * Colours and type of every page, light and dark. Text keeps at least 4.5:1 on every surface; series (d1 to d6) are
 * distinct under the common kinds of colour blindness; h0 to h4 are the steps of heat maps, quiet where all is well.
 */
export const TOKENS = `:root{color-scheme:light dark;
--bg:light-dark(#f6f6f3,#121416);--surface:light-dark(#fff,#1a1d20);--sunken:light-dark(#f0f0ec,#15181a);
--line:light-dark(#e2e2dc,#2d3236);--line-strong:light-dark(#c4c5be,#454b51);
--text:light-dark(#191a1c,#ecece9);--text-2:light-dark(#4a4e55,#b6bbc1);--text-3:light-dark(#646971,#949aa1);
--accent:light-dark(#0b5c8a,#6cb6e8);--accent-soft:light-dark(#e4f0f7,#17303f);--focus:light-dark(#0b5c8a,#8fd0f5);
--ok:light-dark(#0b6b52,#4fc3a1);--warn:light-dark(#8a5a00,#e5b44c);--bad:light-dark(#b3370c,#ff9466);
--busy:light-dark(#7b4182,#cf93d4);--unknown:light-dark(#646971,#949aa1);
--ok-soft:light-dark(#e2f2eb,#14302a);--warn-soft:light-dark(#fbf1d8,#352a12);--bad-soft:light-dark(#fdece3,#3b2218);
--d1:light-dark(#0067a8,#5aaeea);--d2:light-dark(#b94607,#ff9466);--d3:light-dark(#0a7d62,#4cc3a0);--d4:light-dark(#8a4a8f,#cf93d4);
--d5:light-dark(#946500,#e0b14a);--d6:light-dark(#767b83,#8d939a);
--h0:light-dark(#f6f6f3,#202427);--h1:light-dark(#fbe3d4,#43281c);--h2:light-dark(#f3b692,#6d3717);--h3:light-dark(#b94607,#d9682f);
--h4:light-dark(#86300a,#ffb18c);--on-heat:light-dark(#fff,#16100d);
--mono:ui-monospace,"SF Mono","Cascadia Mono","Noto Sans Mono","Liberation Mono",monospace;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}
[hidden]{display:none!important}*,*::before,*::after{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:400 15px/1.5 var(--sans)}
h1,h2,h3,p,ul,dl,dd{margin:0;padding:0}ul{list-style:none}li{overflow-wrap:anywhere}`;
