#include "flopcast/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flopcast/report/page_template.hpp"

namespace flopcast::report {
namespace {

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
    case Tone::dim: return "dim";
    case Tone::plain: break;
  }
  return "";
}

std::string cell(const Cell& cell, Align align) {
  const std::string classes = fmt::format("{} {}", align == Align::right ? "r" : "", tone_class(cell.tone));
  return classes == " " ? fmt::format("<td>{}</td>", html_escaped(cell.text))
                        : fmt::format("<td class=\"{}\">{}</td>", classes, html_escaped(cell.text));
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

/// Returns the meanings of the columns as a list that opens on a click; nothing if none has one.
std::string meanings_of(const Table& table) {
  std::string list;
  for (const Column& column : table.columns) {
    if (!column.meaning.empty() && !column.title.empty()) {
      list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(column.title), html_escaped(column.meaning));
    }
  }
  return list.empty() ? "" : "<details><summary>What the columns mean</summary><dl>\n" + list + "</dl></details>\n";
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
    body_ +=
        fmt::format("<th{}{}>{}</th>", column.align == Align::right ? " class=\"r\"" : "",
                    column.meaning.empty() ? "" : fmt::format(" title=\"{}\"", html_escaped(column.meaning)), html_escaped(column.title));
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
  if (!table.footnote.empty()) {
    body_ += fmt::format("<p>{}</p>\n", html_escaped(table.footnote));
  }
  body_ += meanings_of(table);
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
    rows += fmt::format("<div class=\"row\">{}<span>{}</span>\n{}</div>\n", label_of(bar.label), html_escaped(bar.text),
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
  for (const Strips::BinRow& strip : strips.strips) {
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
  static constexpr std::string_view title_mark = "{{title}}", body_mark = "{{body}}";
  const std::size_t body_at = page_template.find(body_mark);
  std::string html(page_template.substr(0, body_at));
  const std::string title = html_escaped(title_);
  for (std::size_t at = html.find(title_mark); at != std::string::npos; at = html.find(title_mark, at + title.size())) {
    html.replace(at, title_mark.size(), title);
  }
  return html + body_ + std::string(page_template.substr(body_at + body_mark.size()));
}

}  // namespace flopcast::report
