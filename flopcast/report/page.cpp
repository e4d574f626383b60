#include "flopcast/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace flopcast::report {
namespace {

constexpr std::string_view style = R"(:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1c1e21; --faint: #62676e; --line: #d5d8dc; --head: #f2f4f6; --bar: #2f6fb3; --reference: #8b9097; --warn: #fff3d6; --warn-line: #d9a514;
  --s0: #2f6fb3; --s1: #d9822b; --s2: #2e9d6a; --s3: #b8478f; --s4: #8a6bc9; --s5: #8a7a2b; --s6: #9aa0a6; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #16181b; --ink: #e4e6e9; --faint: #9ba1a8; --line: #3a3e44; --head: #212428; --bar: #6aa5e3; --reference: #7d838a; --warn: #3a3013; --warn-line: #d9a514;
  --s0: #6aa5e3; --s1: #eda45c; --s2: #57c592; --s3: #e07fbd; --s4: #b39ae6; --s5: #c9b75a; --s6: #7d838a; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 88rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } p { overflow-wrap: anywhere; }
figcaption, .faint { color: var(--faint); font-size: .87rem; } figure { margin: 1rem 0; max-width: 60rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
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
  td::before { color: var(--faint); flex: none; text-align: left; } td:first-child { font-weight: 600; }
}
)";

constexpr std::size_t colours = 7;  // --s0 ... --s6

/// Returns the length of the valid UTF-8 sequence at the front of `text`; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80) {
      return 0;
    }
  }
  return length;
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F; }

std::string_view entity(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return {};
  }
}

const char* tone_class(Tone tone) {
  switch (tone) {
    case Tone::good: return "good";
    case Tone::bad: return "bad";
    case Tone::faint: return "faint";
    case Tone::plain: break;
  }
  return "";
}

std::string cell(const Cell& cell, Align align) {
  const std::string classes = fmt::format("{} {}", align == Align::right ? "r" : "", tone_class(cell.tone));
  return classes == " " ? fmt::format("<td>{}</td>", html_escaped(cell.shown))
                        : fmt::format("<td class=\"{}\">{}</td>", classes, html_escaped(cell.shown));
}

std::string rectangle(double x, double y, double width, double height, std::string_view colour) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"var(--{})\"/>\n", x, y,
                     std::max(width, 0.0), height, colour);
}

/// Returns a line of text in its natural size, whatever the width of the page.
std::string label_of(std::string_view text) {
  return fmt::format("<svg class=\"label\"><text x=\"0\" y=\"13\">{}</text></svg>\n", html_escaped(text));
}

constexpr double drawing_width = 960;  ///< units; the page stretches drawings to its own width

/// Returns shapes without text, stretched to the page's width.
std::string drawing_of(const std::string& shapes, double height) {
  return fmt::format("<svg class=\"drawing\" viewBox=\"0 0 {0:.0f} {1:.0f}\" height=\"{1:.0f}\" preserveAspectRatio=\"none\">\n{2}</svg>\n",
                     drawing_width, height, shapes);
}

std::string figure_of(const std::string& rows, std::string_view caption) {
  return fmt::format("<figure role=\"img\" aria-label=\"{0}\">\n{1}<figcaption>{0}</figcaption>\n</figure>\n", html_escaped(caption), rows);
}

/// Returns a text in the quotes of a style sheet.
std::string css_string(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    quoted +=
        c == '"' || c == '\\' || c == '<' || is_control(c) ? fmt::format("\\{:x} ", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return quoted;
}

std::string whisker(double low, double high, double y) {
  static constexpr double half = 4;
  return fmt::format(
      "<path d=\"M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}V{4:.1f}M{1:.1f} {3:.1f}V{4:.1f}\" stroke=\"var(--ink)\" stroke-width=\"1.2\" "
      "vector-effect=\"non-scaling-stroke\" fill=\"none\"/>\n",
      low, high, y, y - half, y + half);
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0 || (length == 1 && is_control(text.front()))) {
      escaped += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    const std::string_view replacement = length == 1 ? entity(text.front()) : std::string_view{};
    escaped += replacement.empty() ? text.substr(0, length) : replacement;
    text.remove_prefix(length);
  }
  return escaped;
}

void Page::add_heading(std::string_view text) { body_ += fmt::format("<h2>{}</h2>\n", html_escaped(text)); }
void Page::add_text(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", html_escaped(text)); }
void Page::add_warning(std::string_view text) { body_ += fmt::format("<p class=\"warning\">{}</p>\n", html_escaped(text)); }

void Page::add_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += "<dl>\n";
  for (const auto& [name, value] : facts) {
    body_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(name), html_escaped(value));
  }
  body_ += "</dl>\n";
}

void Page::add_table(const Table& table) {
  const std::string id = fmt::format("t{}", ++tables_);
  std::string titles;  // on a narrow page every row is a list, and its cells carry the columns' titles
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    titles += fmt::format("#{} td:nth-child({})::before {{ content: \"{}\"; }}\n", id, i + 1, css_string(table.columns[i].title));
  }
  body_ += fmt::format("<style>\n@media (max-width: 48rem) {{\n{}}}\n</style>\n<div class=\"scroll\"><table id=\"{}\">\n<thead><tr>",
                       titles, id);
  for (const Column& column : table.columns) {
    body_ += fmt::format("<th{}>{}</th>", column.align == Align::right ? " class=\"r\"" : "", html_escaped(column.title));
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    body_ += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      body_ += cell(row[i], table.columns[i].align);
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void Page::add_bars(const std::vector<Bar>& bars, std::string_view caption) {
  static constexpr double thickness = 14, margin = 2;  // whiskers at the end of the longest bar are seen, too
  double longest = 0;
  for (const Bar& bar : bars) {
    longest = std::max({longest, bar.value, bar.range ? bar.range->high : 0.0});
  }
  const double scale = longest > 0 ? (drawing_width - margin) / longest : 0;
  std::string rows;
  for (const Bar& bar : bars) {
    std::string shapes = rectangle(0, 1, bar.value * scale, thickness, bar.reference ? "reference" : "bar");
    if (bar.range) {
      shapes += whisker(bar.range->low * scale, bar.range->high * scale, 1 + thickness / 2);
    }
    rows += fmt::format("<div class=\"row\">{}<span>{}</span>\n{}</div>\n", label_of(bar.label), html_escaped(bar.shown),
                        drawing_of(shapes, thickness + 2));
  }
  body_ += figure_of(rows, caption);
}

void Page::add_strips(const Strips& strips, std::string_view caption) {
  static constexpr double height = 34;
  std::string rows = "<p class=\"key\">";
  for (std::size_t s = 0; s < strips.series.size(); ++s) {
    rows +=
        fmt::format("<span><i style=\"background: var(--s{})\"></i>{}</span>", std::min(s, colours - 1), html_escaped(strips.series[s]));
  }
  rows += "</p>\n";
  for (const Strips::Strip& strip : strips.strips) {
    std::string shapes = rectangle(0, 0, drawing_width, height, "head");
    const double bin_width = strip.bins.empty() ? 0 : drawing_width / static_cast<double>(strip.bins.size());
    for (std::size_t b = 0; b < strip.bins.size(); ++b) {
      double bottom = height;
      for (std::size_t s = 0; s < strip.bins[b].size(); ++s) {
        const double part = std::min(strip.bins[b][s] * height, bottom);
        if (part > 0.05) {  // less can't be seen
          bottom -= part;
          shapes += rectangle(static_cast<double>(b) * bin_width, bottom, bin_width, part, fmt::format("s{}", std::min(s, colours - 1)));
        }
      }
    }
    rows += fmt::format("<div class=\"row\">{}{}</div>\n", label_of(strip.label), drawing_of(shapes, height));
  }
  rows += fmt::format("<p class=\"ends\"><span>{}</span><span>{}</span></p>\n", html_escaped(strips.from), html_escaped(strips.to));
  body_ += figure_of(rows, caption);
}

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}</body>\n</html>\n",
      html_escaped(title_), style, body_);
}

}  // namespace flopcast::report
