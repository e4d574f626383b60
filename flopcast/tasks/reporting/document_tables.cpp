#include "flopcast/tasks/reporting/document_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/comparison/quantities.hpp"
#include "flopcast/tasks/reporting/member_text.hpp"

namespace flopcast {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using report::Cell;
using report::Column;

constexpr std::size_t max_rows = 1000, max_depth = 6, max_elements = 8;

/// A single value of an object, or of an object within.
struct Leaf {
  std::vector<std::string> path;
  std::string description, unit;
  bool is_number = false, is_interval = false;
};

/// Returns what a schema refers to, and of a value that may be null the schema of the value.
const ordered_json& resolved(const ordered_json& root, const ordered_json& schema) {
  if (schema.contains("$ref")) {
    return resolved(root, root.at(ordered_json::json_pointer(schema.at("$ref").get<std::string>().substr(1))));
  }
  return schema.contains("anyOf") ? resolved(root, schema.at("anyOf").front()) : schema;
}

bool is_type(const ordered_json& schema, std::string_view type) {
  const auto types = schema.find("type");
  return types != schema.end() && (*types == type || (types->is_array() && std::find(types->begin(), types->end(), type) != types->end()));
}

bool is_number(const ordered_json& schema) { return is_type(schema, "number") || is_type(schema, "integer"); }

/// Returns the schema of the objects in a list, or nullptr for anything else.
const ordered_json* listed_objects(const ordered_json& root, const ordered_json& schema) {
  if (!is_type(schema, "array") || !schema.contains("items")) {
    return nullptr;
  }
  const ordered_json& element = resolved(root, schema.at("items"));
  return element.contains("properties") ? &element : nullptr;
}

/// Environments stand among the facts of a page.
bool is_shown(std::string_view name) { return name != "schema" && name != "environment"; }

/// Adds the leaves of an object. `outer_unit` is the unit of its numbers that have none of their own.
void add_leaves(const ordered_json& root, const ordered_json& object, const std::vector<std::string>& path, const std::string& outer_unit,
                std::vector<Leaf>& leaves) {
  if (path.size() > max_depth || !object.contains("properties")) {
    return;
  }
  for (const auto& [name, reference] : object.at("properties").items()) {
    const ordered_json& schema = resolved(root, reference);
    if (!is_shown(name) || listed_objects(root, schema) != nullptr) {
      continue;
    }
    std::vector<std::string> inner = path;
    inner.push_back(name);
    std::string unit = schema.value("unit", reference.value("unit", ""));
    if (schema.contains("properties")) {
      add_leaves(root, schema, inner, unit, leaves);
      continue;
    }
    const bool is_pair = is_type(schema, "array") && schema.value("minItems", 0) == 2 && schema.value("maxItems", 0) == 2;
    const bool is_interval = is_pair && is_number(resolved(root, schema.at("items")));
    unit = unit.empty() ? outer_unit : unit;
    if (is_interval && unit.empty() && !leaves.empty() && leaves.back().path.size() == inner.size()) {
      unit = leaves.back().unit;  // an interval follows its value
    }
    leaves.push_back({std::move(inner), reference.value("description", schema.value("description", "")), std::move(unit), is_number(schema),
                      is_interval});
  }
}

const json* value_at(const json& object, const std::vector<std::string>& path) {
  const json* value = &object;
  for (const std::string& name : path) {
    const auto found = value->is_object() ? value->find(name) : value->end();
    if (!value->is_object() || found == value->end()) {
      return nullptr;
    }
    value = &*found;
  }
  return value->is_null() || (value->is_structured() && value->empty()) || *value == "" ? nullptr : value;
}

bool is_interval(const json& value) { return value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number(); }

Cell interval_cell(const json& value, std::string_view unit) {
  const auto low = value[0].get<double>(), high = value[1].get<double>();
  return {low, high, number_cell(low, unit).text + " to " + number_cell(high, unit).text};
}

/// Returns the median of several measured numbers, for lists that aren't sizes.
Cell median_cell(const json& values, std::string_view unit) {
  auto numbers = values.get<std::vector<double>>();
  Cell middle = number_cell(median(numbers), unit);
  middle.text += numbers.size() > 1 ? fmt::format(" (median of {})", numbers.size()) : "";
  return middle;
}

bool has_reals(const json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_number(); }) &&
         std::any_of(value.begin(), value.end(), [](const json& one) { return one.is_number_float(); });
}

/// Returns "m=500 n=100 to 200" for the ranges {"m": [500, 500], "n": [100, 200]}; nothing for other values.
std::optional<std::string> ranges_text(const json& value) {
  if (!value.is_object() || !std::all_of(value.begin(), value.end(), is_interval)) {
    return {};
  }
  std::vector<std::string> parts;
  for (const auto& [name, range] : value.items()) {
    const std::string low = value_text(range[0]), high = value_text(range[1]);
    parts.push_back(fmt::format("{}={}", name, low == high ? low : low + " to " + high));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

Cell cell_of(const json* value, const Leaf& leaf) {
  if (value == nullptr) {
    return "";
  }
  if (leaf.is_interval) {
    return is_interval(*value) ? interval_cell(*value, leaf.unit) : Cell("");
  }
  if (value->is_number_integer() && leaf.unit.empty()) {
    return report::whole(value->get<long long>());
  }
  if (value->is_number()) {
    return number_cell(value->get<double>(), leaf.unit);
  }
  if (has_reals(*value)) {
    return median_cell(*value, leaf.unit);
  }
  if (value->is_array() && value->size() > max_elements) {
    return counted(value->size(), "value");
  }
  return ranges_text(*value).value_or(value_text(*value));
}

/// Returns the leaf with the unit that its row names, as those of compared values do.
Leaf with_unit_of(const json& row, Leaf leaf) {
  const json* unit = leaf.path.front().starts_with("before") || leaf.path.front().starts_with("after") ? value_at(row, {"unit"}) : nullptr;
  if (unit != nullptr && unit->is_string() && leaf.unit.empty()) {
    leaf.unit = unit->get<std::string>();
  }
  return leaf;
}

std::string dotted(const std::vector<std::string>& path) { return fmt::format("{}", fmt::join(path, ".")); }

/// Returns whether a member only holds others together, so that titles leave its name out.
bool is_group(std::string_view name) { return name == "key" || name == "statistics"; }

Column column_of(const Leaf& leaf) {
  std::string title = member_title(leaf.path.back());
  for (std::size_t i = leaf.path.size() - 1; i-- > 0;) {
    title = is_group(leaf.path[i]) ? title : member_title(leaf.path[i]) + ": " + title;
  }
  Column column{title, leaf.is_number || leaf.is_interval ? report::Align::right : report::Align::left, dotted(leaf.path)};
  column.interval = leaf.is_interval;
  column.meaning = leaf.description;
  column.unit = leaf.unit;
  column.best = usual_best(leaf.unit);
  return column;
}

/// The values of one kind of objects.
struct Level {
  std::vector<Leaf> leaves;
  std::string name;  ///< name of the list
};

/// Returns whether a member tells the elements of a list apart: a name or a size.
bool is_name(const Leaf& leaf) {
  static constexpr std::array names = {"routine", "flags", "sizes",   "name",      "variant",       "blas", "threads",
                                       "ranks",   "rank",  "what_if", "algorithm", "configuration", "call", "what"};
  return leaf.path.size() == 1 && std::find(names.begin(), names.end(), leaf.path.front()) != names.end();
}

/// Returns those members that tell the elements of a list apart.
std::vector<Leaf> names_of(std::vector<Leaf> leaves) {
  constexpr std::size_t max_names = 3;
  std::erase_if(leaves, [](const Leaf& leaf) { return !is_name(leaf); });
  leaves.resize(std::min(leaves.size(), max_names));
  return leaves;
}

/// Returns the leaves with names first.
std::vector<Leaf> names_first(std::vector<Leaf> leaves) {
  std::stable_partition(leaves.begin(), leaves.end(), is_name);
  return leaves;
}

/// Returns the leaves at the paths `members`, in their order; all leaves, with names first, if there are none.
std::vector<Leaf> chosen_leaves(const std::vector<Leaf>& leaves, const std::vector<std::string>& members) {
  std::vector<Leaf> chosen;
  for (const std::string& member : members) {
    const auto found = std::find_if(leaves.begin(), leaves.end(), [&](const Leaf& leaf) { return dotted(leaf.path) == member; });
    if (found == leaves.end()) {
      throw internal_error("no element of the list has the member {}", member);
    }
    chosen.push_back(*found);
  }
  return members.empty() ? names_first(leaves) : chosen;
}

/// Columns with equal titles get those of their members' whole names.
void tell_titles_apart(std::vector<Column>& columns) {
  std::map<std::string, int> counts;
  for (const Column& column : columns) {
    ++counts[column.title];
  }
  for (Column& column : columns) {
    if (counts[column.title] > 1) {
      column.title = column.name;
      std::replace(column.title.begin(), column.title.end(), '_', ' ');
    }
  }
}

/// Makes the table of the list at a path.
class TableMaker {
 public:
  TableMaker(const ordered_json& root, std::string_view path, const std::vector<std::string>& members) : root_(root) {
    const ordered_json* schema = &root;
    for (const std::string_view name : split(path, '.')) {
      schema = &resolved(root, schema->at("properties").at(std::string(name)));
      steps_.emplace_back(name);
      if (const ordered_json* element = listed_objects(root, *schema)) {
        std::vector<Leaf> leaves;
        add_leaves(root, *element, {}, "", leaves);
        levels_.push_back({std::move(leaves), steps_.back()});
        schema = element;
      }
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const bool is_last = i + 1 == levels_.size();
      for (Leaf& leaf : is_last ? chosen_leaves(levels_[i].leaves, members) : names_of(levels_[i].leaves)) {
        table_.columns.push_back(column_of(leaf));
        table_.columns.back().name = is_last ? dotted(leaf.path) : levels_[i].name + "." + dotted(leaf.path);
        columns_.emplace_back(i, leaf);
      }
    }
    tell_titles_apart(table_.columns);
  }

  report::Table make(const json& document) {
    std::vector<const json*> around;
    walk(document, 0, around);
    drop_columns_without_news();
    if (rows_ > max_rows) {
      table_.footnote = fmt::format("The first {} of {} rows. The embedded document has all.", max_rows, rows_);
    }
    return std::move(table_);
  }

 private:
  void walk(const json& value, std::size_t step, std::vector<const json*>& around) {
    if (step == steps_.size()) {
      add_row(around);
      return;
    }
    const auto found = value.is_object() ? value.find(steps_[step]) : value.end();
    if (!value.is_object() || found == value.end()) {
      return;
    }
    if (!found->is_array()) {
      walk(*found, step + 1, around);
      return;
    }
    for (const json& element : *found) {
      around.push_back(&element);
      walk(element, step + 1, around);
      around.pop_back();
    }
  }

  void add_row(const std::vector<const json*>& around) {
    if (around.size() != levels_.size() || ++rows_ > max_rows) {
      return;
    }
    std::vector<Cell>& row = table_.rows.emplace_back();
    for (const auto& [level, leaf] : columns_) {
      row.push_back(cell_of(value_at(*around[level], leaf.path), with_unit_of(*around[level], leaf)));
    }
  }

  /// Columns in which nothing happened, such as counts of 0 in every row, say nothing beside others. Nor do names of elements around the
  /// rows if all rows have the same.
  void drop_columns_without_news() {
    for (std::size_t i = table_.columns.size(); i-- > 0;) {
      const auto is_empty = [i](const std::vector<Cell>& row) {
        return row[i].text.empty() || row[i].raw == "0" || row[i].text == "0" || row[i].text == "no";
      };
      const auto is_as_before = [&](const std::vector<Cell>& row) { return row[i] == table_.rows.front()[i]; };
      const bool is_around = columns_[i].first + 1 < levels_.size() && table_.rows.size() > 1;
      if (std::all_of(table_.rows.begin(), table_.rows.end(), is_empty) ||
          (is_around && std::all_of(table_.rows.begin(), table_.rows.end(), is_as_before))) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        table_.columns.erase(table_.columns.begin() + at);
        for (std::vector<Cell>& row : table_.rows) {
          row.erase(row.begin() + at);
        }
      }
    }
  }

  const ordered_json& root_;
  std::vector<std::string> steps_;
  std::vector<Level> levels_;
  std::vector<std::pair<std::size_t, Leaf>> columns_;  ///< level of each column
  report::Table table_;
  std::size_t rows_ = 0;
};

/// Returns the document's single values, leaves of its schema, one a row.
report::Table values_table(const json& document, const std::vector<Leaf>& leaves) {
  report::Table table{{{"value of", report::Align::left}, {"value", report::Align::left}, {"meaning", report::Align::left}}, {}};
  table.is_mixed = true;
  for (const Leaf& leaf : leaves) {
    if (const json* value = value_at(document, leaf.path)) {
      table.rows.push_back({column_of(leaf).title, cell_of(value, leaf), leaf.description});
    }
  }
  return table;
}

void add_lists(const ordered_json& root, const ordered_json& object, const std::string& path, std::size_t depth,
               std::vector<std::string>& paths) {
  if (depth > max_depth || !object.contains("properties")) {
    return;
  }
  for (const auto& [name, reference] : object.at("properties").items()) {
    const ordered_json& schema = resolved(root, reference);
    const std::string inner = path.empty() ? name : path + "." + name;
    if (!is_shown(name)) {
      continue;
    }
    if (const ordered_json* element = listed_objects(root, schema)) {
      paths.push_back(inner);
      add_lists(root, *element, inner, depth + 1, paths);
    } else {
      add_lists(root, schema, inner, depth + 1, paths);
    }
  }
}

}  // namespace

std::vector<std::string> table_paths(const ordered_json& schema) {
  std::vector<std::string> paths = {""};
  add_lists(schema, schema, "", 0, paths);
  return paths;
}

report::Table document_table(const json& document, const ordered_json& schema, std::string_view path,
                             const std::vector<std::string>& members) {
  if (!path.empty()) {
    return TableMaker(schema, path, members).make(document);
  }
  std::vector<Leaf> leaves;
  add_leaves(schema, schema, {}, "", leaves);
  return values_table(document, members.empty() ? leaves : chosen_leaves(leaves, members));
}

report::Table remaining_values(const json& document, const ordered_json& schema, const std::vector<std::string>& members) {
  std::vector<Leaf> leaves;
  add_leaves(schema, schema, {}, "", leaves);
  std::erase_if(leaves, [&](const Leaf& leaf) { return std::find(members.begin(), members.end(), dotted(leaf.path)) != members.end(); });
  return values_table(document, leaves);
}

}  // namespace flopcast
