#include "flopcast/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "flopcast/report/page_assets.hpp"
#include "flopcast/report/page_picture.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::report {
namespace {

constexpr std::string_view page_begin = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="flopcast page">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
)";
constexpr std::string_view page_end = "</body>\n</html>\n";
constexpr std::string_view document_begin = "<script type=\"application/json\" class=\"document\" data-name=\"", script_end = "</script>\n";

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

/// Returns what a cell is sorted by: its number, or nothing where a column of numbers has none; such cells come last.
std::string sort_key(const Cell& cell, Align align) {
  const std::string& value = cell.raw.empty() ? cell.text : cell.raw;
  if (value == "inf" || value == "-inf") {
    return value == "inf" ? "Infinity" : "-Infinity";
  }
  const bool has_digit = value.find_first_of("0123456789") != std::string::npos;
  return align == Align::right && !has_digit ? "" : value;
}

std::string cell(const Cell& cell, Align align) {
  const std::string classes = fmt::format("{} {}", align == Align::right ? "r" : "", tone_class(cell.tone));
  const std::string key = sort_key(cell, align);
  return fmt::format("<td{}{}>{}</td>", classes == " " ? "" : fmt::format(" class=\"{}\"", classes),
                     key == cell.text ? "" : fmt::format(" data-sort=\"{}\"", html_escaped(key)), html_escaped(cell.text));
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

/// Takes columns that have the same text in all rows out of a wide table. Returns a sentence with these texts; empty where there are none.
std::string take_constant_columns(Table& table) {
  constexpr std::size_t wide = 10;
  if (table.columns.size() <= wide || table.rows.size() < 2) {
    return "";
  }
  std::vector<std::string> taken;
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    const std::string text = table.rows.front()[i].text;
    if (std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[i].text != text; })) {
      continue;
    }
    taken.push_back(fmt::format("{}: {}", table.columns[i].title, text.empty() ? "none" : text));
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<Cell>& row : table.rows) {
      row.erase(row.begin() + at);
    }
  }
  std::reverse(taken.begin(), taken.end());
  return taken.empty() ? "" : fmt::format("The same in all rows: {}.", fmt::join(taken, "; "));
}

const char* trust_text(Trust trust) {
  switch (trust) {
    case Trust::quiet: return "Measured on a quiet machine.";
    case Trust::noisy: return "Measured on a noisy machine: small differences may be noise.";
    case Trust::unusable: return "The machine was too noisy for a conclusion.";
    case Trust::unknown: break;
  }
  return "";
}

/// Returns JSON that no text in it can end the element it stands in.
std::string json_in_html(std::string_view json) {
  std::string escaped;
  for (const char c : json) {
    escaped += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return escaped;
}

/// Returns the text that html_escaped() made `escaped` of.
std::string unescaped(std::string_view escaped) {
  std::string text;
  while (!escaped.empty()) {
    std::size_t length = 1;
    char character = escaped.front();
    for (const char special : {'&', '<', '>', '"', '\''}) {
      if (escaped.starts_with(entity(special))) {
        length = entity(special).size();
        character = special;
      }
    }
    text += character;
    escaped.remove_prefix(length);
  }
  return text;
}

std::string script_element(std::string_view text) { return text.empty() ? "" : fmt::format("<script>\n{}\n</script>\n", text); }

/// Returns the licences of the packages that the page contains.
std::string licences() {
  std::string list;
  for (const auto& [name, licence] :
       {std::pair{"uPlot", assets::uplot_licence}, std::pair{"sortable-tablesort", assets::sortable_licence}}) {
    list += licence.empty() ? "" : fmt::format("<h3>{}</h3>\n<pre>{}</pre>\n", name, html_escaped(licence));
  }
  return list.empty() ? "" : "<details class=\"licences\"><summary>Licences of software in this page</summary>\n" + list + "</details>\n";
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

std::string json_element(std::string_view attributes, std::string_view json) {
  return fmt::format("<script type=\"application/json\" {}>{}{}", attributes, json_in_html(json), script_end);
}

void Page::add_part(std::string_view text, std::string_view answer) {
  const std::string id = fmt::format("part{}", ++parts_), title = html_escaped(text);
  contents_ += fmt::format("<li><a href=\"#{}\">{}</a> {}</li>\n", id, title, html_escaped(answer));
  body_ += fmt::format("</section>\n<section>\n<h2 class=\"part\" id=\"{}\">{}</h2>\n", id, title);
}
void Page::add_heading(std::string_view text) {
  body_ += fmt::format("</section>\n<section>\n<h{0}>{1}</h{0}>\n", parts_ > 0 ? 3 : 2, html_escaped(text));
}
void Page::add_warning(std::string_view text) { body_ += fmt::format("<p class=\"warning\">{}</p>\n", html_escaped(text)); }

void Page::add_answer(std::string_view text, Trust trust) {
  static constexpr std::array<const char*, 4> classes = {"unknown", "quiet", "noisy", "unusable"};
  const std::string_view note = trust_text(trust);
  body_ += fmt::format("<div class=\"answer {}\">\n<p>{}</p>\n{}</div>\n", classes[static_cast<std::size_t>(trust)], html_escaped(text),
                       note.empty() ? "" : fmt::format("<p class=\"trust\">{}</p>\n", note));
}

void Page::add_step(std::string_view text, std::string_view command) {
  body_ += fmt::format("<div class=\"step\"><p>{}</p>\n{}</div>\n", html_escaped(text),
                       command.empty() ? "" : fmt::format("<pre class=\"command\"><code>{}</code></pre>\n", html_escaped(command)));
}

void Page::add_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += "<dl>\n";
  for (const auto& [name, value] : facts) {
    body_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(name), html_escaped(value));
  }
  body_ += "</dl>\n";
}

void Page::add_table(const Table& whole) {
  Table table = whole;
  const std::string constants = take_constant_columns(table);
  const std::string id = fmt::format("t{}", ++tables_);
  std::string titles;  // on a narrow page every row is a list, and its cells carry the columns' titles
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    titles += fmt::format("#{} td:nth-child({})::before {{ content: \"{}\"; }}\n", id, i + 1, css_string(table.columns[i].title));
  }
  body_ += fmt::format(
      "<style>\n@media screen and (max-width: 48rem) {{\n{}}}\n</style>\n<div class=\"scroll\"><table id=\"{}\"{}>\n<thead><tr>", titles,
      id,
      table.is_mixed                ? " data-mixed"
      : assets::sortable_js.empty() ? ""
                                    : " class=\"sortable n-last\"");
  for (const Column& column : table.columns) {
    body_ +=
        fmt::format("<th scope=\"col\"{}{}>{}</th>", column.align == Align::right ? " class=\"r\"" : "",
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
  for (const std::string& text : {constants, table.footnote}) {
    body_ += text.empty() ? "" : fmt::format("<p>{}</p>\n", html_escaped(text));
  }
  body_ += meanings_of(whole);
}

void Page::add_folded_table(std::string_view title, const Table& table) {
  body_ += fmt::format("<details><summary>{}</summary>\n", html_escaped(title));
  add_table(table);
  body_ += "</details>\n";
}

void Page::add_picture(const Picture& picture) { body_ += picture_html(picture); }

void Page::add_document(std::string_view name, std::string_view json) {
  body_ += json_element(fmt::format("class=\"document\" data-name=\"{}\"", html_escaped(name)), json);
}

std::string Page::html() const {
  const std::string title = html_escaped(title_);
  std::string html(page_begin);
  html += fmt::format("<title>{0}</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<section>\n", title, assets::uplot_css,
                      assets::page_css);
  html += contents_.empty() ? "" : "<nav><ol>\n" + contents_ + "</ol></nav>\n";
  html += body_ + "</section>\n" + licences() + script_element(assets::uplot_js) + script_element(assets::sortable_js) +
          script_element(assets::page_js);
  return html.append(page_end);
}

std::vector<std::pair<std::string, std::string>> embedded_documents(std::string_view text) {
  if (!text.starts_with(page_begin.substr(0, page_begin.find("<meta name=\"viewport")))) {
    return {};
  }
  if (!text.ends_with(page_end)) {
    throw bad_input("the page is cut off: it doesn't end with </html>. Write the page anew, or copy the whole file");
  }
  std::vector<std::pair<std::string, std::string>> documents;
  for (std::size_t at = text.find(document_begin); at != std::string_view::npos; at = text.find(document_begin, at)) {
    const std::size_t name = at + document_begin.size(), name_end = text.find("\">", name);
    const std::size_t end = text.find(script_end, name);
    if (name_end == std::string_view::npos || end == std::string_view::npos || name_end + 2 > end) {
      throw bad_input("the page is damaged: the element of an embedded document has no end");
    }
    documents.emplace_back(unescaped(text.substr(name, name_end - name)), text.substr(name_end + 2, end - name_end - 2));
    at = end;
  }
  return documents;
}

}  // namespace flopcast::report
