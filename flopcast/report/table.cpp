#include "flopcast/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <numeric>
#include <utility>

#include "flopcast/report/terminal.hpp"

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

/// Widths that a column can have.
struct ColumnLimits {
  std::size_t least = 0;      ///< no number is broken
  std::size_t narrowest = 0;  ///< nor a word of usual length
  std::size_t natural = 0;    ///< nothing is broken
};

/// Columns of a table that stand beside each other, by their indices, and their widths.
struct Block {
  std::vector<std::size_t> columns, widths;
};

std::size_t shown_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 1 + 3 * widths.size());  // a bar and blanks beside every cell
}

ColumnLimits limits_of(const Table& table, std::size_t i) {
  constexpr std::size_t longest_word = 24;  // of texts; longer ones, such as paths, may be broken
  constexpr std::size_t longest_part = 8;   // of broken words, where nothing else helps
  constexpr std::size_t rule = 3;           // columns of Markdown's rule
  const Column& column = table.columns[i];
  std::size_t unbroken = unbroken_width(column.title), natural = display_width(column.title);
  for (const auto& row : table.rows) {
    assert(row.size() == table.columns.size());
    const std::string text = within_cell(row[i].text);
    unbroken = std::max(unbroken, unbroken_width(text));
    natural = std::max(natural, display_width(text));
  }
  const bool is_text = column.align == Align::left;
  const std::size_t width = std::max(rule, column.width);
  return {std::max(width, is_text ? std::min(unbroken, longest_part) : unbroken),
          std::max(width, is_text ? std::min(unbroken, longest_word) : unbroken), std::max(width, natural)};
}

/// Makes the widest columns of `block` narrower, down to `limit`, until the block fits `width`.
void narrow(Block& block, const std::vector<ColumnLimits>& limits, std::size_t ColumnLimits::*limit, std::size_t width) {
  while (shown_width(block.widths) > width) {
    std::size_t widest = block.widths.size();
    for (std::size_t c = 0; c < block.widths.size(); ++c) {
      const bool can_shrink = block.widths[c] > limits[block.columns[c]].*limit;
      widest = can_shrink && (widest == block.widths.size() || block.widths[c] > block.widths[widest]) ? c : widest;
    }
    if (widest == block.widths.size()) {
      return;
    }
    --block.widths[widest];
  }
}

/// Returns columns with their natural widths; where they don't fit `width`, the widest become narrower.
Block fitted(const std::vector<ColumnLimits>& limits, std::vector<std::size_t> columns, std::optional<std::size_t> width) {
  Block block = {std::move(columns), {}};
  for (const std::size_t i : block.columns) {
    block.widths.push_back(limits[i].natural);
  }
  if (width) {
    narrow(block, limits, &ColumnLimits::narrowest, *width);
    narrow(block, limits, &ColumnLimits::least, *width);
  }
  return block;
}

/// Returns blocks of columns that fit `width`; the first column stands in each of them. A table of rows that come one by one is one block.
std::vector<Block> blocks_of(const Table& table, std::optional<std::size_t> width, bool may_split) {
  std::vector<ColumnLimits> limits;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    limits.push_back(limits_of(table, i));
  }
  std::vector<Block> blocks;
  std::vector<std::size_t> columns, widths;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    widths.push_back(limits[i].narrowest);
    if (may_split && width && columns.size() > 1 && shown_width(widths) > *width) {
      blocks.push_back(fitted(limits, columns, width));
      columns = {0};
      widths = {limits.front().narrowest, limits[i].narrowest};
    }
    columns.push_back(i);
  }
  blocks.push_back(fitted(limits, columns, width));
  return blocks;
}

/// Returns the lines of a row of a block; `cells` has a text for each of its columns.
std::string lines_of(const Table& table, const Block& block, const std::vector<std::string>& cells, const std::vector<Tone>& tones,
                     bool color) {
  std::vector<std::vector<std::string>> lines;
  std::size_t height = 1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    lines.push_back(folded(cells[c], block.widths[c]));
    height = std::max(height, lines.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    text += '|';
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string part = line < lines[c].size() ? lines[c][line] : "";
      const std::size_t columns = display_width(part);  // more than the width only beside headings that were shown before
      text += ' ' +
              padded(colored(part, tones[c], color && !part.empty()), columns, std::max(columns, block.widths[c]),
                     table.columns[block.columns[c]].align) +
              " |";
    }
    text += '\n';
  }
  return text;
}

std::string headings_of(const Table& table, const Block& block) {
  std::vector<std::string> titles;
  std::string rule = "|";
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    const Column& column = table.columns[block.columns[c]];
    titles.push_back(column.title);
    const std::string dashes(block.widths[c] + 1, '-');
    rule += column.align == Align::left ? ':' + dashes + '|' : dashes + ":|";
  }
  return lines_of(table, block, titles, std::vector<Tone>(titles.size(), Tone::plain), false) + rule + '\n';
}

std::string rows_of(const Table& table, const Block& block, bool color) {
  std::string text;
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    std::vector<Tone> tones;
    for (const std::size_t i : block.columns) {
      cells.push_back(within_cell(row[i].text));
      tones.push_back(row[i].tone);
    }
    text += lines_of(table, block, cells, tones, color);
  }
  return text;
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

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += (&field == &fields.front() ? "" : ",") + csv_field(field);
  }
  return line + "\r\n";
}

}  // namespace

Cell::Cell(double value, std::string label, Tone colour) : text(std::move(label)), raw(fmt::format("{}", value)), tone(colour) {}

Cell::Cell(double first, double second_value, std::string label)
    : text(std::move(label)), raw(fmt::format("{}", first)), second(fmt::format("{}", second_value)) {}

Cell whole(long long value) { return Cell(std::to_string(value)); }

Cell valued(std::string text, std::string value) {
  Cell cell(std::move(text));
  cell.raw = std::move(value);
  return cell;
}

Cell toned(Cell cell, Tone tone) {
  cell.tone = tone;
  return cell;
}

std::string to_text(const Table& table, bool color, std::optional<std::size_t> width) {
  std::string text;
  for (const Block& block : blocks_of(table, width, !table.rows.empty())) {
    text += (text.empty() ? "" : "\n") + headings_of(table, block) + rows_of(table, block, color);
  }
  return text + (table.footnote.empty() ? "" : '\n' + (width ? wrapped(table.footnote, *width) : table.footnote));
}

std::string rows_text(const Table& table, bool color, std::optional<std::size_t> width) {
  return rows_of(table, blocks_of(table, width, false).front(), color);
}

std::vector<std::string> csv_headings(const Column& column) {
  const std::string& name = column.name.empty() ? column.title : column.name;
  if (column.interval) {
    return {name + "_low", name + "_high"};
  }
  return column.second.empty() ? std::vector{name} : std::vector{name, column.second};
}

std::string to_csv(const Table& table) {
  std::vector<std::string> fields;
  for (const Column& column : table.columns) {
    for (std::string& heading : csv_headings(column)) {
      fields.push_back(std::move(heading));
    }
  }
  std::string text = csv_line(fields);
  for (const auto& row : table.rows) {
    fields.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string& value = row[i].raw.empty() ? row[i].text : row[i].raw;
      fields.push_back(value == "-" ? "" : value);
      if (csv_headings(table.columns[i]).size() > 1) {
        fields.push_back(row[i].second);
      }
    }
    text += csv_line(fields);
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
