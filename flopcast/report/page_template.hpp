#pragma once

#include <string_view>

namespace flopcast::report {

/// Skeleton and style sheet of a Page; {{title}} and {{body}} stand for its contents.
inline constexpr std::string_view page_template = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1c1e21; --dim: #62676e; --line: #d5d8dc; --head: #f2f4f6; --bar: #2f6fb3; --reference: #8b9097; --warn: #fff3d6; --warn-line: #d9a514;
  --s0: #2f6fb3; --s1: #d9822b; --s2: #2e9d6a; --s3: #b8478f; --s4: #8a6bc9; --s5: #8a7a2b; --s6: #9aa0a6; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #16181b; --ink: #e4e6e9; --dim: #9ba1a8; --line: #3a3e44; --head: #212428; --bar: #6aa5e3; --reference: #7d838a; --warn: #3a3013; --warn-line: #d9a514;
  --s0: #6aa5e3; --s1: #eda45c; --s2: #57c592; --s3: #e07fbd; --s4: #b39ae6; --s5: #c9b75a; --s6: #7d838a; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 88rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
details { font-size: .87rem; margin: .3rem 0; } summary { color: var(--dim); cursor: pointer; }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } p { overflow-wrap: anywhere; }
figcaption, .dim { color: var(--dim); font-size: .87rem; } figure { margin: 1rem 0; max-width: 60rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; }
th, td { padding: .25rem .55rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; } td.r { white-space: nowrap; }
th { background: var(--head); vertical-align: bottom; } .r { text-align: right; } .good { color: #2e9d6a; } .bad { color: #d3503f; } tr:hover td { background: var(--head); }
.warning { background: var(--warn); border-left: 4px solid var(--warn-line); padding: .5rem .9rem; }
svg { width: 100%; display: block; } svg text { fill: var(--ink); font: 13px system-ui, sans-serif; } svg rect { shape-rendering: crispEdges; }
.label { height: 18px; overflow: visible; } .row { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; margin-bottom: .45rem; font-size: 13px; }
.row .drawing { grid-column: 1 / -1; } .ends { display: flex; justify-content: space-between; font-size: 13px; }
.key span { display: inline-block; margin-right: 1.1rem; } .key i { display: inline-block; width: .8em; height: .8em; margin-right: .35em; border-radius: 2px; }
@media (max-width: 48rem) {
  .row { grid-template-columns: 1fr; } dl { grid-template-columns: 1fr; } dd { margin-bottom: .3rem; }
  thead { display: none; } table, tbody, tr { display: block; } tr { border: 1px solid var(--line); margin-bottom: .6rem; padding: .25rem 0; }
  td, td.r { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .1rem .6rem; text-align: right; white-space: normal; overflow-wrap: anywhere; }
  td::before { color: var(--dim); flex: none; text-align: left; } td:first-child { font-weight: 600; }
}
</style>
</head>
<body>
<h1>{{title}}</h1>
{{body}}</body>
</html>
)html";

}  // namespace flopcast::report
