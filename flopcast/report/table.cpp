#include "flopcast/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <utility>

namespace flopcast::report {
namespace {

using Range = std::pair<char32_t, char32_t>;

/// Combining marks and other characters of width 0 (Unicode general categories Mn, Me, Cf; only the blocks that occur in flopcast's texts).
constexpr std::array<Range, 6> zero_width = {
    {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};

/// East Asian wide characters (Unicode standard annex 11) and emoji, by block.
constexpr std::array<Range, 9> double_width = {{{0x1100, 0x115F},
                                                {0x2E80, 0x303E},
                                                {0x3041, 0xA4CF},
                                                {0xAC00, 0xD7A3},
                                                {0xF900, 0xFAFF},
                                                {0xFE30, 0xFE6F},
                                                {0xFF00, 0xFF60},
                                                {0x1F300, 0x1FAFF},
                                                {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool any_contains(const std::array<Range, N>& ranges, char32_t character) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return character >= range.first && character <= range.second; });
}

/// Removes one character from the front and returns it; a byte that isn't UTF-8 counts as one character.
char32_t take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0xC0 || first >= 0xF8 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t character = length == 1 ? first : first & (0xFFU >> (length + 1));
  const std::size_t available = std::min(length, text.size());
  for (std::size_t i = 1; i < available; ++i) {
    character = character << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(available);
  return character;
}

std::string padded(const std::string& text, std::size_t shown_width, std::size_t width, Align align) {
  const std::string space(width - shown_width, ' ');
  return align == Align::left ? text + space : space + text;
}

/// Returns `text` without characters that end a cell or a row of Markdown or steer a terminal; names of programs' regions and files may
/// contain any character.
std::string within_cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    safe += is_control ? " " : c == '|' ? "\\|" : std::string(1, c);
  }
  return safe;
}

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) {
    widths.push_back(std::max<std::size_t>({display_width(column.title), 3, column.width}));
  }
  for (const auto& row : table.rows) {
    assert(row.size() == table.columns.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(within_cell(row[i].text)));
    }
  }
  return widths;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return quoted + '"';
}

}  // namespace

Cell::Cell(double value, std::string label, Tone colour) : text(std::move(label)), raw(fmt::format("{}", value)), tone(colour) {}

Cell::Cell(double low, double high, std::string label)
    : text(std::move(label)), raw(fmt::format("{}", low)), upper(fmt::format("{}", high)) {}

Cell whole(long long value) { return Cell(std::to_string(value)); }

Cell toned(Cell cell, Tone tone) {
  cell.tone = tone;
  return cell;
}

std::string to_text(const Table& table, bool color) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::string text = "|", rule = "|";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const Column& column = table.columns[i];
    text += ' ' + padded(column.title, display_width(column.title), widths[i], column.align) + " |";
    rule += column.align == Align::left ? ':' + std::string(widths[i] + 1, '-') + '|' : std::string(widths[i] + 1, '-') + ":|";
  }
  const std::string foot = table.footnote.empty() ? "" : '\n' + table.footnote;
  return text + '\n' + rule + '\n' + rows_text(table, color) + foot;
}

std::string rows_text(const Table& table, bool color) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::string text;
  for (const auto& row : table.rows) {
    text += '|';
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = within_cell(row[i].text);
      text += ' ' + padded(colored(cell, row[i].tone, color), display_width(cell), widths[i], table.columns[i].align) + " |";
    }
    text += '\n';
  }
  return text;
}

std::string to_csv(const Table& table) {
  std::string text;
  const auto add = [&text](bool first, const std::string& field) {
    text += first ? "" : ",";
    text += csv_field(field);
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    const std::string& name = column.name.empty() ? column.title : column.name;
    add(i == 0, column.interval ? name + "_low" : name);
    if (column.interval) {
      add(false, name + "_high");
    }
  }
  text += "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      add(i == 0, row[i].raw.empty() ? row[i].text : row[i].raw);
      if (table.columns[i].interval) {
        add(false, row[i].upper.empty() ? row[i].text : row[i].upper);
      }
    }
    text += "\r\n";
  }
  return text;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const char32_t character = take_character(text);
    width += any_contains(zero_width, character) ? 0 : any_contains(double_width, character) ? 2 : 1;
  }
  return width;
}

std::string colored(std::string_view text, Tone tone, bool color) {
  if (!color || tone == Tone::plain) {
    return std::string(text);
  }
  const char* code = tone == Tone::good ? "32" : tone == Tone::bad ? "31" : "2";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace flopcast::report
