#include "tools/page/style.hpp"

namespace spillway {

// The colours of series keep a contrast of at least 3 to 1 to the background, and differ in lightness for people who
// see no hue. Every series also has a mark, a dash and a hatching of its own (tools/page/figure.cpp).
std::string_view page_style() {
  return R"css(
:root { color-scheme: light dark;
  --bg:#fff; --fg:#1b1f24; --soft:#57606a; --line:#d8dee4; --card:#f6f8fa; --accent:#0b62a8;
  --c0:#0b62a8; --c1:#c2470a; --c2:#00805c; --c3:#a8407c; --c4:#8a6100; --c5:#3b8fc4; --c6:#6b3fa0; --c7:#4d5560; }
@media (prefers-color-scheme: dark) { :root {
  --bg:#0f1318; --fg:#e6eaef; --soft:#9aa5b1; --line:#2d343d; --card:#171c23; --accent:#7cc0f5;
  --c0:#5aaef0; --c1:#f2884b; --c2:#35c79c; --c3:#e88fc0; --c4:#e2b64a; --c5:#a5d5f7; --c6:#b79af0; --c7:#b4bcc6; } }
@media print { :root { color-scheme: light;
  --bg:#fff; --fg:#000; --soft:#333; --line:#bbb; --card:#fff; --accent:#0b62a8;
  --c0:#0b62a8; --c1:#c2470a; --c2:#00805c; --c3:#a8407c; --c4:#8a6100; --c5:#3b8fc4; --c6:#6b3fa0; --c7:#4d5560; } }
* { box-sizing: border-box; }
body { margin:0; background:var(--bg); color:var(--fg); font:16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  "Liberation Sans", sans-serif; -webkit-text-size-adjust:100%; }
header, main, footer { max-width:1280px; margin:0 auto; padding:0 20px; } p, dl.long dd { max-width:84ch; }
header { padding-top:32px; }
h1 { font-size:1.7rem; line-height:1.2; margin:0 0 4px; letter-spacing:-.01em; }
h2 { font-size:1.25rem; margin:44px 0 10px; padding-bottom:6px; border-bottom:1px solid var(--line); }
h3 { font-size:1.05rem; margin:0; } section > h3 { margin:20px 0 6px; }
p { margin:6px 0; } section > p { margin:14px 0; } header p, figcaption p, .note { color:var(--soft); }
a { color:var(--accent); }
nav ul { list-style:none; padding:0; margin:14px 0 0; display:flex; flex-wrap:wrap; gap:4px 18px; font-size:.92rem; }
nav.parts > ul { display:block; } nav.parts > ul > li { margin-bottom:9px; } nav.parts ul ul { margin:0; gap:2px 14px; }
.skip { position:absolute; left:-9999px; } .skip:focus { left:12px; top:8px; background:var(--bg); padding:4px 8px; }
:focus-visible { outline:2px solid var(--accent); outline-offset:2px; }
figure { margin:22px 0 34px; break-inside:avoid; min-width:0; }
.legend { list-style:none; display:flex; flex-wrap:wrap; gap:2px 16px; margin:10px 0 0; padding:0; font-size:.88rem; }
.legend li, .legend button { display:flex; align-items:center; gap:7px; }
.legend button { font:inherit; color:inherit; background:none; border:0; padding:3px 4px; text-align:left; cursor:pointer; border-radius:4px; }
.legend button:hover { background:var(--card); }
.legend button[aria-pressed=false] { opacity:.4; text-decoration:line-through; }
.key { overflow:visible; flex:none; }
.plot { margin-top:6px; position:relative; }
.plot > svg { display:block; overflow:visible; }
.defs { position:absolute; }
text { fill:var(--fg); font-size:12px; font-family:inherit; }
.tick { fill:var(--soft); font-variant-numeric:tabular-nums; } .name { fill:var(--soft); font-size:12.5px; }
.mid { text-anchor:middle; } .end { text-anchor:end; }
.row, .group { paint-order:stroke; stroke:var(--bg); stroke-width:5px; stroke-linejoin:round; }
.row { font-size:13px; } .group { font-size:13.5px; font-weight:600; } .value { font-weight:600; font-variant-numeric:tabular-nums; }
.grid { stroke:var(--line); stroke-width:1; shape-rendering:crispEdges; } .track { stroke:var(--line); stroke-width:1; }
.run { stroke-width:2; fill:none; stroke-linecap:round; } .error { stroke-width:1.6; opacity:.75; }
.range { stroke:var(--fg); stroke-width:1.5; }
.mark { stroke:var(--bg); stroke-width:1; } .mark.paper { fill:var(--bg); stroke-width:2; }
.hatch { stroke:var(--bg); stroke-width:1.5; fill:none; opacity:.8; } .span { stroke:none; shape-rendering:crispEdges; }
.limit { stroke:var(--fg); stroke-width:1.5; stroke-dasharray:7 4; } .beside { stroke:var(--fg); stroke-width:1.5; }
.sample { fill:transparent; } .pt { cursor:default; }
.pt.on .mark, .pt.on .fill { stroke:var(--fg); stroke-width:2; } .pt.on .sample { fill:var(--fg); fill-opacity:.12; }
.hidden { display:none; }
.s0, .s8 { --c:var(--c0) } .s1, .s9 { --c:var(--c1) } .s2, .s10 { --c:var(--c2) }
.s3, .s11 { --c:var(--c3) } .s4, .s12 { --c:var(--c4) } .s5, .s13 { --c:var(--c5) }
.s6, .s14 { --c:var(--c6) } .s7, .s15 { --c:var(--c7) } 
.run, .error, .mark.paper { stroke:var(--c); } .mark:not(.paper) { fill:var(--c); } .tint { fill:var(--c); }
.fill.s0 { fill:url(#f0) } .fill.s1 { fill:url(#f1) } .fill.s2 { fill:url(#f2) } .fill.s3 { fill:url(#f3) }
.fill.s4 { fill:url(#f4) } .fill.s5 { fill:url(#f5) } .fill.s6 { fill:url(#f6) } .fill.s7 { fill:url(#f7) }
.fill.s8 { fill:url(#f8) } .fill.s9 { fill:url(#f9) } .fill.s10 { fill:url(#f10) } .fill.s11 { fill:url(#f11) }
.fill.s12 { fill:url(#f12) } .fill.s13 { fill:url(#f13) } .fill.s14 { fill:url(#f14) } .fill.s15 { fill:url(#f15) }
.fill.paper { fill:var(--bg); stroke:var(--c); stroke-width:2; stroke-dasharray:4 3; }
.run.s1 { stroke-dasharray:9 5 } .run.s2 { stroke-dasharray:2 5 } .run.s3 { stroke-dasharray:11 4 2 4 } .run.s4 { stroke-dasharray:5 4 }
.run.s5 { stroke-dasharray:14 5 } .run.s6 { stroke-dasharray:2 4 7 4 } .run.s7 { stroke-dasharray:1 4 } .run.s8 { stroke-dasharray:5 4 }
.run.s9 { stroke-dasharray:2 5 } .run.s11 { stroke-dasharray:9 5 } .run.s12 { stroke-dasharray:14 5 }
.run.s13 { stroke-dasharray:2 4 7 4 } .run.s14 { stroke-dasharray:9 5 } .run.s15 { stroke-dasharray:11 4 2 4 } 
.run.paper { stroke-width:1.4; opacity:.8; }
.tip { position:absolute; pointer-events:none; background:var(--fg); color:var(--bg); font-size:13px; line-height:1.35;
  padding:5px 9px; border-radius:5px; max-width:280px; z-index:2; }
.sr { position:absolute; width:1px; height:1px; overflow:hidden; clip-path:inset(50%); white-space:nowrap; }
.scroll { overflow:auto; max-height:27rem; margin-top:8px; border:1px solid var(--line); border-radius:6px; }
.words { max-height:none; } .words td, .words th { vertical-align:top; } .words tbody th { white-space:nowrap; }
table { border-collapse:collapse; width:100%; font-size:.86rem; font-variant-numeric:tabular-nums; }
caption { text-align:left; padding:6px 10px; color:var(--soft); position:absolute; width:1px; height:1px; overflow:hidden;
  clip-path:inset(50%); }
th, td { padding:5px 10px; text-align:right; white-space:nowrap; border-bottom:1px solid var(--line); }
th { font-weight:600; } tbody th { font-weight:500; } .text { text-align:left; white-space:normal; min-width:8rem; }
thead th { position:sticky; top:0; background:var(--card); z-index:1; vertical-align:bottom; }
tbody tr:last-child > * { border-bottom:0; }
tr.on > * { background:color-mix(in srgb, var(--accent) 16%, transparent); }
dl { display:grid; grid-template-columns:max-content 1fr; gap:3px 18px; margin:10px 0; font-size:.93rem; }
@media screen and (min-width:1260px) {
  .columns { display:grid; grid-template-columns:repeat(2, minmax(0, 1fr)); gap:0 24px; } }
@media (min-width:900px) { dl { grid-template-columns:max-content 1fr max-content 1fr; } dl.long { grid-template-columns:max-content 1fr; }
  thead th { white-space:normal; } .few tbody th { white-space:nowrap; } }
dt { color:var(--soft); } dd { margin:0; overflow-wrap:anywhere; }
pre { background:var(--card); border:1px solid var(--line); border-radius:6px; padding:12px 14px; overflow:auto;
  font:13px/1.5 ui-monospace, "Liberation Mono", Menlo, monospace; }
footer { color:var(--soft); font-size:.85rem; padding-top:24px; padding-bottom:40px; }
@media (max-width:640px) { header, main, footer { padding-left:14px; padding-right:14px; } h1 { font-size:1.4rem; }
  .words table, .words tbody, .words tr, .words tbody th, .words td { display:block; min-width:0; }
  .words thead { position:absolute; width:1px; height:1px; overflow:hidden; clip-path:inset(50%); }
  .words { position:relative; } .words tr { padding:6px 0; border-bottom:1px solid var(--line); }
  .words tr:last-child, .words tbody tr > * { border-bottom:0; } .words tbody tr > * { padding-top:1px; padding-bottom:1px; }
  .words tbody th { font-weight:600; } .words td:empty { display:none; }
  .words td::before { content:attr(data-head) ": "; color:var(--soft); }
  .odd { display:none; } dl.long { grid-template-columns:1fr; gap:0; } .long dd { margin-bottom:7px; } }
@media print { body { font-size:11pt; } .scroll { max-height:none; overflow:visible; } nav, .skip, .tip { display:none; }
  h2, h3 { break-after:avoid; } pre { white-space:pre-wrap; } thead th { position:static; } tr { break-inside:avoid; }
  table { font-size:.75rem; } th, td { white-space:normal; overflow-wrap:anywhere; padding:3px 6px; } .text { min-width:4rem; }
  .words th, .words td, .many th, .many td { overflow-wrap:break-word; } .many table { font-size:.6rem; }
  .many th, .many td { padding:2px 3px; } thead { break-after:avoid; } tbody tr:first-child { break-before:avoid; }
  figure { break-inside:auto; } .plot, figcaption, .legend { break-inside:avoid; break-after:avoid; }
  .plot { zoom:.85; } .plot.tall { zoom:.68; } .fill.span { fill:var(--c); } }
@media (forced-colors: active) { .grid { stroke:GrayText } }
)css";
}

// Of a plot that has the focus, arrow keys step through its points, Home and End go to the ends, Enter goes to the
// table, and Escape hides the value.
std::string_view page_script() {
  return R"js(
'use strict';
for (const figure of document.querySelectorAll('figure')) {
  const plot = figure.querySelector('.plot'), svg = plot.querySelector('svg');
  const points = [...svg.querySelectorAll('.pt')];
  if (points.length === 0) continue;
  const tip = document.createElement('div'), live = document.createElement('div');
  tip.className = 'tip hidden';
  tip.setAttribute('aria-hidden', 'true');
  live.className = 'sr';
  live.setAttribute('aria-live', 'polite');
  plot.append(tip, live);
  for (const point of points) {
    const title = point.querySelector('title');
    point.dataset.text = title.textContent;
    title.remove();
  }
  let at = -1;
  const hide = () => {
    tip.classList.add('hidden');
    if (at >= 0) points[at].classList.remove('on');
    at = -1;
  };
  const show = (next, spoken) => {
    hide();
    at = next;
    const point = points[at], box = plot.getBoundingClientRect();
    const shapes = point.querySelectorAll('use, rect');
    const of = (shapes[0] || point).getBoundingClientRect();
    point.classList.add('on');
    tip.textContent = point.dataset.text;
    tip.classList.remove('hidden');
    const left = of.left + of.width / 2 - box.left - tip.offsetWidth / 2;
    tip.style.left = Math.max(0, Math.min(left, box.width - tip.offsetWidth)) + 'px';
    tip.style.top = Math.max(of.top - box.top, 24) - tip.offsetHeight - 8 + 'px';
    if (spoken) live.textContent = point.dataset.text;
  };
  points.forEach((point, i) => {
    point.addEventListener('pointerenter', () => show(i, false));
    point.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') hide(); });
  });
  const visible = (i) => !points[i].classList.contains('hidden');
  const step = (from, by) => {
    for (let i = from; i >= 0 && i < points.length; i += by) if (visible(i)) return show(i, true);
  };
  plot.tabIndex = 0;
  plot.setAttribute('role', 'application');
  plot.setAttribute('aria-roledescription', 'plot');
  plot.setAttribute('aria-label', figure.querySelector('h3').textContent + ': arrow keys step through the values, ' +
    'Enter goes to the table');
  plot.addEventListener('blur', hide);
  plot.addEventListener('keydown', (event) => {
    const key = event.key;
    if (key === 'ArrowRight' || key === 'ArrowDown') step(at + 1, 1);
    else if (key === 'ArrowLeft' || key === 'ArrowUp') step(at < 0 ? points.length - 1 : at - 1, -1);
    else if (key === 'Home') step(0, 1);
    else if (key === 'End') step(points.length - 1, -1);
    else if (key === 'Escape') hide();
    else if (key === 'Enter') figure.querySelector('.scroll').focus();
    else return;
    event.preventDefault();
  });
  for (const item of figure.querySelectorAll('.legend li')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('aria-pressed', 'true');
    button.append(...item.childNodes);
    item.append(button);
    button.addEventListener('click', () => {
      const shown = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(shown));
      hide();
      for (const part of svg.querySelectorAll('[data-s="' + item.dataset.s + '"]')) part.classList.toggle('hidden', !shown);
    });
  }
}
)js";
}

}  // namespace spillway
