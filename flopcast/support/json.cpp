#include "flopcast/support/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

namespace flopcast {
namespace {

using nlohmann::json;

constexpr std::size_t max_levels = 100;  // parsing needs no stack for them, but copying and writing do

/// Line and column, both from 1, of the byte at `offset`.
std::pair<std::int64_t, std::int64_t> line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column = line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return {std::count(before.begin(), before.end(), '\n') + 1, static_cast<std::int64_t>(column)};
}

/// A member's path, one step longer: "a" and "b" give "a.b", "a" and "[1]" give "a[1]".
std::string joined(const std::string& outer, const std::string& inner) {
  return outer + (outer.empty() || inner.empty() || inner.front() == '[' ? "" : ".") + inner;
}

/// Follows the parser through a document to the place of a mistake; nothing of the document is kept.
class Examiner : public nlohmann::json_sax<json> {
 public:
  Examiner(std::string_view text, std::string document, WrittenBy author) : text_(text), document_(std::move(document)), author_(author) {}

  bool null() override { return value(); }
  bool boolean(bool /*value*/) override { return value(); }
  bool number_integer(number_integer_t /*value*/) override { return value(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return value(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return value(); }
  bool string(string_t& /*value*/) override { return value(); }
  bool binary(binary_t& /*value*/) override { return value(); }
  bool start_object(std::size_t /*elements*/) override { return open(false); }
  bool start_array(std::size_t /*elements*/) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    OpenLevel& level = open_.back();
    level.name = name;
    if (author_ == WrittenBy::hand && !level.names.insert(name).second) {
      throw bad_input("{} has two members \"{}\" in one object", document_, name);
    }
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const json::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) {
      throw bad_input("{}: {} is {}; expected a number that fits a double", document_, member(), token);
    }
    const std::size_t offset = position > 0 ? position - 1 : 0;
    const auto [line, column] = line_and_column(text_, offset);
    if (offset >= text_.size()) {
      throw bad_input("{} is cut off: the JSON document ends too early, at line {}, column {} (byte {})", document_, line, column,
                      text_.size());
    }
    throw bad_input("{} is no JSON document: error at line {}, column {} (byte {})", document_, line, column, offset);
  }

 private:
  struct OpenLevel {
    bool is_array = false;
    std::size_t index = 0;
    std::string name;
    std::set<std::string> names;  ///< written by hand: names of the members so far
  };

  bool value() {
    if (!open_.empty() && open_.back().is_array) {
      ++open_.back().index;
    }
    return true;
  }
  bool open(bool is_array) {
    if (open_.size() == max_levels) {
      throw bad_input("{}: {} is nested deeper than {} levels", document_, member().substr(0, 100), max_levels);
    }
    open_.push_back({is_array, 0, {}, {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return value();
  }
  [[nodiscard]] std::string member() const {
    std::string path;
    for (const OpenLevel& level : open_) {
      path = joined(path, level.is_array ? json_detail::place(level.index) : level.name);
    }
    return path.empty() ? "it" : "member " + path;
  }

  std::string_view text_;
  std::string document_;
  WrittenBy author_;
  std::vector<OpenLevel> open_;
};

/// Quick test that avoids following the parser.
bool may_be_deep(std::string_view text) {
  std::size_t levels = 0;
  std::size_t deepest = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++levels);
    } else if ((c == ']' || c == '}') && levels > 0) {
      --levels;
    }
  }
  return deepest > max_levels;
}

/// Splits "flopcast-trace-12" into "flopcast-trace" and 12; returns nothing if the text doesn't end in a version.
std::optional<std::pair<std::string_view, int>> name_and_version(std::string_view schema) {
  const std::size_t dash = schema.rfind('-');
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const int version = std::atoi(std::string(schema.substr(dash + 1)).c_str());
  return version > 0 ? std::optional(std::pair(schema.substr(0, dash), version)) : std::nullopt;
}

}  // namespace

json parse_json(std::string_view text, const std::string& document, WrittenBy author) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw bad_input("{} is empty; expected a JSON document", document);
  }
  const auto examine = [&] {
    Examiner examiner(text, document, author);
    json::sax_parse(text, &examiner);
  };
  if (author == WrittenBy::hand || may_be_deep(text)) {
    examine();
  }
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    examine();
    throw bad_input("{} is no JSON document: {}", document, reason(error));
  }
}

std::string reason(const json::exception& error) {
  const std::string_view what = error.what();
  return std::string(what.front() == '[' ? what.substr(std::min(what.find("] ") + 2, what.size())) : what);
}

std::string shown(const json& value) {
  constexpr std::size_t most = 60;
  if (value.is_structured() && value.size() > most) {
    return std::string(value.is_array() ? "an array of " : "an object of ") + std::to_string(value.size());
  }
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > most) {
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {  // whole letters
      --end;
    }
    text = text.substr(0, end) + "...";
  }
  return text;
}

MemberError::MemberError(std::string place, std::string fault)
    : nlohmann::json::exception(0, ((place.empty() ? "the document" : "member " + place) + ": " + fault).c_str()),
      place_(std::move(place)),
      fault_(std::move(fault)) {}

MemberError MemberError::within(const std::string& outer) const { return {joined(outer, place_), fault_}; }

namespace json_detail {

void refuse(const json& value, const std::string& expected) { throw MemberError("", shown(value) + " given, expected " + expected); }

bool truth(const json& value) {
  if (!value.is_boolean()) {
    refuse(value, "true or false");
  }
  return value.get<bool>();
}

double number(const json& value) {
  if (!value.is_number()) {
    refuse(value, "a number");
  }
  return value.get<double>();
}

std::int64_t whole(const json& value, std::int64_t least, std::int64_t most) {
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                        : value.is_number_integer();
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    refuse(value, fmt::format("a whole number from {} to {}", least, most));
  }
  return value.get<std::int64_t>();
}

std::uint64_t natural(const json& value) {
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0)) {
    refuse(value, "a whole number of 0 or more");
  }
  return value.get<std::uint64_t>();
}

const std::string& text(const json& value) {
  if (!value.is_string()) {
    refuse(value, "a text");
  }
  return value.get_ref<const std::string&>();
}

const json& elements(const json& value) {
  if (!value.is_array()) {
    refuse(value, "an array");
  }
  return value;
}

const json& members(const json& value) {
  if (!value.is_object()) {
    refuse(value, "an object");
  }
  return value;
}

const json& member(const json& object, const char* name) {
  const auto found = members(object).find(name);
  if (found == object.end()) {
    throw MemberError(name, "it is missing");
  }
  return *found;
}

}  // namespace json_detail
void require_schema(const json& document, const std::string& name, std::string_view schema) {
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_string()) {
    throw bad_input("{} is no flopcast document: it has no member \"schema\"; expected \"{}\"", name, schema);
  }
  const std::string given = document["schema"];
  if (given == schema) {
    return;
  }
  const auto have = name_and_version(given), want = name_and_version(schema);
  if (have && want && have->first == want->first && have->second > want->second) {
    throw bad_input("{} was written by a newer flopcast: its schema is \"{}\", this version reads \"{}\"", name, given, schema);
  }
  throw bad_input("{} holds \"{}\"; expected \"{}\"", name, given, schema);
}

}  // namespace flopcast
