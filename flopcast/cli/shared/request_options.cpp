#include "flopcast/cli/shared/request_options.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/request_types.hpp"

namespace flopcast::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// A member of a request and its option.
class MemberOption {
 public:
  MemberOption(const Field& field, void* structure) : field_(&field), value_(field.in(structure)) {
    SchemaMaker maker(OtherMembers::refused);
    ordered_json member = schema_detail::with_unit(field.type->schema(maker), field.unit());
    schema_detail::add_limits(member, field);
    if (field.type->has_value != nullptr && member.contains("anyOf")) {
      member["anyOf"].erase(member["anyOf"].size() - 1);  // null has no text
      member = member["anyOf"].size() == 1 ? ordered_json(member["anyOf"].front()) : member;
    }
    schema_ = maker.document("", "", std::move(member));
    name_ = fields_detail::option_name(field);
    if (name_.empty()) {
      name_ = field.option_name.value_or(field.name);  // an argument
    }
  }

  void add_to(OptionSet& command) const {
    if (may_be("boolean")) {
      Option flag = command.flag(
          name_, [*this] { field_->type->read(!now().get<bool>(), value_); }, help());
      mark(flag);
      return;
    }
    Option option = is_list() ? command.parsed_list(
                                    name_, [*this](const Words& words) { read(words); }, help())
                              : command.parsed(
                                    name_, [*this](const std::string& word) { read_word(word); }, help());
    describe(option);
    mark(option);
  }

 private:
  using Words = std::vector<std::string>;

  [[nodiscard]] bool may_be(const char* type) const {
    const auto is = [&](const ordered_json& schema) {
      return schema.contains("type") &&
             (schema["type"] == type || (schema["type"].is_array() && std::count(schema["type"].begin(), schema["type"].end(), type) > 0));
    };
    return is(schema_) || (schema_.contains("anyOf") && std::any_of(schema_["anyOf"].begin(), schema_["anyOf"].end(), is));
  }
  /// Returns whether the whole value has a form as text.
  [[nodiscard]] bool has_text() const { return may_be("string") || schema_.contains("enum"); }
  [[nodiscard]] bool is_list() const { return !has_text() && may_be("array"); }
  /// Returns whether the option is given once for each element of a list, because elements may have commas.
  [[nodiscard]] bool is_repeated() const {
    return is_list() && name_.starts_with("--") && field_->name != "blas" && !schema_.at("items").contains("enum");
  }
  [[nodiscard]] bool is_number() const { return !has_text() && (may_be("integer") || may_be("number")); }

  /// Returns the member's meaning as a sentence about an option: "; empty: all" becomes "; default: all".
  [[nodiscard]] std::string help() const {
    std::string text = field_->option_help != nullptr ? field_->option_help : field_->description;
    for (const std::string_view nothing : {"; empty: ", "; missing: ", zero_is_none() ? "; 0: " : "; empty: "}) {
      if (const std::size_t at = text.find(nothing); at != std::string::npos) {
        text.replace(at, nothing.size(), "; default: ");
      }
    }
    if (const std::size_t end = text.find_first_of(" :"); end != std::string::npos && text[end] != ':') {  // no value such as "auto: ..."
      text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    }
    return text + (is_repeated() ? "; may be repeated" : "");
  }

  /// Returns whether 0, the default of a whole number, stands for something else, as its description says. Options don't take it.
  [[nodiscard]] bool zero_is_none() const {
    return is_number() && may_be("integer") && now() == 0 && std::string_view(field_->description).find("; 0: ") != std::string_view::npos;
  }

  [[nodiscard]] json now() const {
    json value;
    if (field_->type->has_value == nullptr || field_->type->has_value(value_)) {
      field_->type->write(value, value_);
    }
    return value;
  }

  void mark(Option& option) const {
    if (field_->is_rare) {
      option.rare();
    }
  }

  /// Returns what stands for the value in help texts: one word per type, and for texts what the member's name says.
  [[nodiscard]] std::string placeholder() const {
    static const std::map<std::string_view, std::string> by_name = {{"blas", "LIBRARY"},
                                                                    {"lapack", "LIBRARY"},
                                                                    {"links", "FOLDER"},
                                                                    {"library", "FILE"},
                                                                    {"launcher", "COMMAND"},
                                                                    {"prepare", "COMMAND"},
                                                                    {"names", "NAME"},
                                                                    {"routines", "NAME"},
                                                                    {"algorithm", "NAME"},
                                                                    {"cores", "KIND"},
                                                                    {"points", "CALL"},
                                                                    {"caches", "STATE"},
                                                                    {"cache", "STATE"},
                                                                    {"what_if", "CHANGE"},
                                                                    {"layouts", "TENSORS"},
                                                                    {"conditions", "RELATION"},
                                                                    {"parameters", "NAME=VALUES"},
                                                                    {"tolerance", "FRACTION"},
                                                                    {"time_precision", "FRACTION"},
                                                                    {"fail_above", "FRACTION"},
                                                                    {"noise", "FRACTION"},
                                                                    {"tiles", "MxNxK[:KERNEL[:ROWS][:LOOPS][:keepOPERANDS]]"}};
    if (const auto found = by_name.find(field_->name); found != by_name.end()) {
      return found->second;
    }
    if (field_->bounds && field_->bounds->is_path) {
      return "FILE";
    }
    if (may_be("array")) {
      return "LIST";
    }
    const ordered_json& number = schema_.contains("anyOf") ? schema_.at("anyOf").front() : schema_;
    if (const std::string unit = number.value("unit", ""); unit == "s" || unit == "B") {
      return unit == "s" ? "TIME" : "SIZE";
    }
    if (may_be("integer")) {
      return may_be("string") ? "N|auto" : "N";
    }
    const bool is_fraction = field_->type == &fields_detail::type<Fraction> || number.value("maximum", Bounds::none) <= 1;
    return !may_be("number") ? "" : is_fraction ? "FRACTION" : "NUMBER";
  }

  void describe(Option& option) const {
    if (field_->required) {
      option.required();
    }
    if (is_list() && name_.starts_with("--")) {
      is_repeated() ? option.one_value() : option.comma_separated();
    }
    if (field_->name == "time_budget") {
      option.setting("time-budget");
    }
    describe_values(option);
    if (const std::string text = text_of(now());
        !field_->required && !text.empty() && !zero_is_none() && help().find("(default") == std::string::npos) {
      option.show_default(text);
    }
  }

  /// Describes the kind, choices, range and placeholder of an option's values.
  void describe_values(Option& option) const {
    for (const auto& [name, kind] : {std::pair("routine", ValueKind::routine), std::pair("family", ValueKind::routine),
                                     std::pair("blas", ValueKind::blas), std::pair("lapack", ValueKind::lapack)}) {
      if (field_->name == name) {
        option.completes(kind);
      }
    }
    const ordered_json& word = schema_.contains("items") ? schema_.at("items") : schema_;
    if (word.contains("enum")) {
      option.choices(word.at("enum").get<Words>());
    }
    if (is_number()) {
      const bool above = schema_.contains("exclusiveMinimum");
      const double min = zero_is_none() ? 1 : schema_.value(above ? "exclusiveMinimum" : "minimum", -Bounds::none);
      option.number(may_be("integer"), min, schema_.value("maximum", Bounds::none), above, field_->bounds.has_value());
    }
    if (const std::string text = placeholder(); !text.empty()) {
      option.placeholder(text);
    }
  }

  /// Returns the text that the command line reads as a value; empty for none.
  [[nodiscard]] std::string text_of(const json& value) const {
    if (value.is_null() || (value.is_number_float() && !std::isfinite(value.get<double>()))) {
      return "";
    }
    if (field_->type == &fields_detail::type<SizeList>) {
      return to_text(*static_cast<const SizeList*>(value_));
    }
    if (field_->type == &fields_detail::type<Duration>) {
      return to_text(*static_cast<const Duration*>(value_));
    }
    if (value.is_array()) {
      return fmt::format("{}", fmt::join(value.get<Words>(), ","));
    }
    return value.is_string() ? value.get<std::string>() : value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
  }

  [[nodiscard]] json value_of(const std::string& word) const {
    return is_number() ? json::parse(word) : json(word);  // the option has checked that it is a number
  }

  /// Reads a word by the type's own parser, if it has one. Throws what that throws, and as read().
  void read_word(const std::string& word) const {
    if (field_->type->parse == nullptr) {
      read(value_of(word));
    } else {
      field_->type->parse(word, name_, value_);
      with_name([&] { require_members_and_bounds(now(), schema_); });
    }
  }

  /// Reads a value that JSON could have, with the limits of the member. Throws usage_error that names the option.
  void read(const json& value) const {
    with_name([&] {
      require_members_and_bounds(value, schema_);
      field_->type->read(value, value_);
      require_members_and_bounds(now(), schema_);  // of a text, what it stands for
    });
  }

  template <class Read>
  void with_name(Read&& read) const {
    try {
      read();
    } catch (const MemberError& error) {
      throw usage_error("{}: {}", name_, error.fault());
    }
  }

  const Field* field_;
  void* value_;
  ordered_json schema_;
  std::string name_;
};

}  // namespace

void add_members(OptionSet& command, const Fields& fields, void* structure) {
  for (const Field& field : fields) {
    if (field.inlined != nullptr) {
      add_members(command, field.inlined(), field.in(structure));
    } else if (field.option_name != std::string_view("")) {
      MemberOption(field, structure).add_to(command);
    }
  }
}

}  // namespace flopcast::cli
