/** The style of a page: light and dark, narrow and wide, on paper. */
export const pageStyle = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --back: #fff; --panel: #f6f8fa; --link: #0756b3; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9aa5b1; --line: #3a424c; --back: #0f1318; --panel: #181e25; --link: #7cb7ff; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; color: var(--text); background: var(--back); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { margin-top: 2.5rem; }
h4 { margin: 1.5rem 0 .5rem; }
.anchor { visibility: hidden; text-decoration: none; }
:is(h2, h3, h4):hover .anchor, .anchor:focus-visible { visibility: visible; }
code, pre { font: .9em/1.5 ui-monospace, monospace; }
code { padding: .1em .3em; border-radius: 4px; background: var(--panel); }
pre { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); overflow-x: auto; overflow-wrap: normal; }
pre code { padding: 0; background: none; }
blockquote { margin: 0; padding: .1rem 1rem; border-left: 4px solid var(--line); color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; min-width: 40rem; }
th, td { padding: .4rem .7rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--panel); }
td:first-child code { overflow-wrap: normal; }
summary { cursor: pointer; color: var(--link); }
nav ul { padding-left: 1.2rem; }
.filter { display: block; margin: 1rem 0; }
.filter input { font: inherit; width: 100%; max-width: 30rem; padding: .4rem .6rem; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; }
[hidden] { display: none !important; }
@media (min-width: 70rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); column-gap: 3rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: .9rem; }
  main > section:first-child > h2 { margin-top: 0; border-top: 0; padding-top: 0; }
}
@media print {
  :root { --text: #000; --soft: #333; --line: #999; --back: #fff; --panel: #fff; --link: #000; }
  body { display: block; max-width: none; padding: 0; font-size: 10pt; }
  .anchor, .filter, details { display: none; }
  .wide { overflow: visible; }
  table { min-width: 0; width: 100%; }
  pre { white-space: pre-wrap; }
  h2, h3, h4 { break-after: avoid; }
  tr, pre { break-inside: avoid; }
}
`
