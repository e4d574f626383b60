#include "flopcast/cli/shared/option_set.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/field.hpp"

namespace flopcast::cli {
namespace {

bool takes_several(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

/// Returns "a whole number from 1 to 16", "one of auto, library", or nothing if any text may be a value.
std::string expected_value(const OptionNotes& notes) {
  if (!notes.choices.empty()) {
    return fmt::format("one of {}", fmt::join(notes.choices, ", "));
  }
  const std::string type = notes.type.empty() && !notes.range.empty() ? "a number" : notes.type;
  return notes.range.empty() ? type : type + " from " + notes.range;
}

std::string unexpected(const std::string& value, const OptionNotes& notes) {
  return fmt::format("'{}' given, expected {}", value, expected_value(notes));
}

/// Gives the option the preset's values, as the command line would. The option counts as not given all the same. Throws bad_input that
/// names the origin for values that the option refuses.
void use_preset(CLI::Option& option, const OptionNotes& notes) {
  const Preset& preset = *notes.preset;
  const auto refuse = [&](const char* reason) {
    const std::string expected = expected_value(notes);
    return bad_input("{} is '{}'{}", preset.origin, fmt::join(preset.values, ","),
                     expected.empty() ? fmt::format(". {}", reason) : ", expected " + expected);
  };
  option.clear();
  try {
    for (const std::string& value : preset.values) {
      option.add_result(value);
    }
    option.run_callback();
  } catch (const CLI::Error& error) {
    throw refuse(error.what());
  } catch (const Error& error) {
    throw refuse(error.what());
  }
  option.clear();
}

/// Returns whether the command line has an option of the general setting `key` at `app` or at a command before it.
bool is_given(const std::string& key, const CLI::App& app, const NotesOfOptions& notes) {
  for (const CLI::App* one = &app; one != nullptr; one = one->get_parent()) {
    for (const CLI::Option* option : one->get_options()) {
      const auto found = notes.find(option);
      if (option->count() > 0 && found != notes.end() && found->second.setting == key) {
        return true;
      }
    }
  }
  return false;
}

using UsedPresets = std::vector<std::pair<std::string, Preset>>;  ///< "--threads" and its preset

/// Uses the presets of the options that the command line doesn't have.
UsedPresets use_presets(CLI::App& app, const NotesOfOptions& notes) {
  UsedPresets used;
  for (CLI::Option* option : app.get_options({})) {
    const auto found = notes.find(option);
    if (found == notes.end() || !found->second.preset || option->count() > 0) {
      continue;
    }
    if (!found->second.setting.empty() && is_given(found->second.setting, app, notes)) {
      continue;
    }
    use_preset(*option, found->second);
    used.emplace_back(option->get_name(), *found->second.preset);
  }
  return used;
}

/// Returns `error` with the origin of the preset whose option or value its message names, or nothing.
std::optional<Error> with_origin(const Error& error, const UsedPresets& used) {
  const std::string message = error.what();
  for (const auto& [name, preset] : used) {
    const std::string value = fmt::format("{}", fmt::join(preset.values, ","));
    const bool is_number = value.find_first_not_of("0123456789.,:") == std::string::npos;  // another option may have the same
    const auto has = [&](const std::string& part) { return message.find(part) != std::string::npos; };
    if (has(name + ":") || has(name + " ") || (!is_number && has("'" + value + "'"))) {
      const ExitCode code = error.code() == ExitCode::usage ? ExitCode::bad_input : error.code();
      return Error(code, fmt::format("{}. {} gives {}", message, preset.origin, name));
    }
  }
  return std::nullopt;
}

/// Returns the placeholder of an option that has none of its own.
std::string type_name(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  const std::string type = name.substr(0, name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));  // "INT" of "INT:INT in [1 - 16]"
  return type == "INT" || type == "UINT" ? "N" : type == "FLOAT" ? "NUMBER" : type;
}

ValueKind kind_of(const OptionNotes& notes) {
  if (notes.kind != ValueKind::text) {
    return notes.kind;
  }
  return notes.placeholder.starts_with("FILE")         ? ValueKind::file
         : notes.placeholder.starts_with("FOLDER")     ? ValueKind::folder
         : notes.placeholder.starts_with("-- COMMAND") ? ValueKind::command
                                                       : ValueKind::text;
}

}  // namespace

Option& Option::placeholder(const std::string& name) {
  option_->type_name(name);
  notes_->placeholder = name;
  if (name == "FILE" || name == "FOLDER") {
    check([](const std::string& path) {
      return path.empty() ? std::string("an empty name given, expected that of a file") : path_fault(path);
    });
  }
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::show_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Option& Option::hidden() { return group(""); }

Option& Option::rare() {
  notes_->is_rare = true;
  return *this;
}

Option& Option::describe(const std::string& help) {
  option_->description(help);
  return *this;
}

Option& Option::choices(std::vector<std::string> values) {
  notes_->choices = std::move(values);
  return check([notes = notes_](const std::string& value) {
    const std::vector<std::string>& all = notes->choices;
    return std::find(all.begin(), all.end(), value) != all.end() ? "" : unexpected(value, *notes);
  });
}

Option& Option::range(std::int64_t min, std::int64_t max) { return within(CLI::Range(min, max), fmt::format("{} to {}", min, max)); }

Option& Option::number(bool is_whole, double min, double max, bool above_min, bool shows_range) {
  notes_->type = is_whole ? "a whole number" : "a number";
  placeholder(is_whole ? "N" : "NUMBER");
  if (above_min) {
    notes_->type += fmt::format(" greater than {}", min);
  } else if (min == 0 && std::isinf(max)) {
    notes_->type += fmt::format(" from 0 to {}", std::numeric_limits<std::uint64_t>::max());
  } else if (shows_range && std::isfinite(min) && std::isfinite(max)) {
    notes_->range = fmt::format("{} to {}", min, max);
  }
  const auto fits = [=](const std::string& text, auto value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto number = static_cast<double>(value);
    return error == std::errc() && end == text.data() + text.size() && (above_min ? number > min : number >= min) && number <= max;
  };
  return check([notes = notes_, is_whole, fits](const std::string& value) {
    const bool right = !is_whole ? fits(value, 0.0) : value.starts_with('-') ? fits(value, std::int64_t{0}) : fits(value, std::uint64_t{0});
    return right ? "" : unexpected(value, *notes);
  });
}

Option& Option::within(const std::function<std::string(std::string&)>& range, const std::string& text) {
  notes_->range = text;
  return check([notes = notes_, range](std::string value) { return range(value).empty() ? "" : unexpected(value, *notes); });
}

Option& Option::check(std::function<std::string(const std::string&)> fault) {
  option_->check(std::move(fault));
  return *this;
}

Option& Option::each(std::function<void(const std::string&)> use) {
  option_->each(std::move(use));
  return *this;
}

Option& Option::comma_separated() {
  option_->delimiter(',');
  return *this;
}

Option& Option::repeatable() {
  option_->take_all();
  return *this;
}

Option& Option::one_value() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::setting(const std::string& key) {
  notes_->setting = key;
  return *this;
}

Option& Option::no_setting() {
  notes_->is_setting = false;
  return *this;
}

Option& Option::completes(ValueKind kind) {
  notes_->kind = kind;
  return *this;
}

void Option::preset(Preset preset) {
  if (!takes_several(*option_)) {
    preset.values = {fmt::format("{}", fmt::join(preset.values, ","))};
  }
  notes_->preset = std::move(preset);
}

OptionDescription Option::description() const {
  OptionDescription text;
  text.name = option_->get_lnames().empty() ? option_->get_name() : option_->get_lnames().front();
  if (option_->get_lnames().size() > 1) {
    text.other_names.assign(option_->get_lnames().begin() + 1, option_->get_lnames().end());
  }
  text.short_name = option_->get_snames().empty() ? "" : option_->get_snames().front();
  if (option_->get_type_size() != 0) {
    text.placeholder = notes_->placeholder.empty() ? type_name(*option_) : notes_->placeholder;
  }
  text.help = option_->get_description();
  text.group = option_->get_group();
  text.default_value = option_->get_default_str();
  text.choices = notes_->choices;
  text.range = notes_->range;
  text.expected = expected_value(*notes_);
  if (const std::optional<Preset>& preset = notes_->preset) {
    text.in_force = fmt::format("{} ({})", fmt::join(preset->values, ","), preset->origin);
  }
  text.setting = notes_->setting;
  text.kind = kind_of(*notes_);
  text.is_argument = option_->get_positional();
  text.required = option_->get_required();
  text.takes_several = takes_several(*option_);
  text.is_setting = notes_->is_setting && !text.is_argument && !text.group.empty() && !prints_text(text);
  text.is_rare = notes_->is_rare;
  return text;
}

Option OptionSet::option(const std::string& names, std::string& to, const std::string& help) {
  return noted(app_->add_option(names, to, help));
}
Option OptionSet::option(const std::string& names, std::vector<std::string>& to, const std::string& help) {
  return noted(app_->add_option(names, to, help));
}
Option OptionSet::option(const std::string& names, int& to, const std::string& help) {
  return noted(app_->add_option(names, to, help), "a whole number");
}
Option OptionSet::option(const std::string& names, long& to, const std::string& help) {
  return noted(app_->add_option(names, to, help), "a whole number");
}
Option OptionSet::option(const std::string& names, long long& to, const std::string& help) {
  return noted(app_->add_option(names, to, help), "a whole number");
}
Option OptionSet::option(const std::string& names, unsigned long& to, const std::string& help) {
  return noted(app_->add_option(names, to, help), "a whole number");
}
Option OptionSet::option(const std::string& names, double& to, const std::string& help) {
  return noted(app_->add_option(names, to, help), "a number");
}

Option OptionSet::parsed(const std::string& names, const std::function<void(const std::string&)>& parse, const std::string& help) {
  return noted(app_->add_option_function<std::string>(names, parse, help));
}

Option OptionSet::parsed_list(const std::string& names, const std::function<void(const std::vector<std::string>&)>& parse,
                              const std::string& help) {
  return noted(app_->add_option_function<std::vector<std::string>>(names, parse, help));
}

Option OptionSet::flag(const std::string& names, bool& to, const std::string& help) { return noted(app_->add_flag(names, to, help)); }

Option OptionSet::flag(const std::string& names, std::function<void()> use, const std::string& help) {
  return noted(app_->add_flag_callback(names, std::move(use), help));
}

OptionSet OptionSet::add_command(const std::string& name, const std::string& help) {
  return {app_->add_subcommand(name, help)->group("Commands"), *notes_};
}

void OptionSet::require_command() { app_->require_subcommand(1); }

void OptionSet::group(const std::string& heading) { app_->group(heading); }

void OptionSet::footer(const std::string& text) { app_->footer(text); }

void OptionSet::action(std::function<void()> run) {
  app_->callback([app = app_, notes = notes_, run = std::move(run)] {
    if (std::getenv(parse_only_variable) != nullptr) {
      return;
    }
    const UsedPresets used = use_presets(*app, *notes);
    try {
      run();
    } catch (const Error& error) {
      if (const std::optional<Error> named = with_origin(error, used)) {
        throw Error(*named);
      }
      throw;
    }
  });
}

bool OptionSet::given(const std::string& name) const { return app_->get_option(name)->count() > 0; }

std::vector<std::string> OptionSet::given_options() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() > 0 && option->get_group() != common_group) {
      names.push_back(option->get_name());
    }
  }
  return names;
}

Option OptionSet::find(const std::string& name) const { return noted(app_->get_option(name)); }

std::vector<OptionSet> OptionSet::commands() const {
  std::vector<OptionSet> all;
  for (CLI::App* command : app_->get_subcommands({})) {
    all.emplace_back(command, *notes_);
  }
  return all;
}

std::vector<Option> OptionSet::options() const {
  std::vector<Option> all;
  for (CLI::Option* option : app_->get_options({})) {
    all.push_back(noted(option));
  }
  return all;
}

CommandDescription OptionSet::description() const {
  CommandDescription text;
  for (const CLI::App* app = app_; app != nullptr; app = app->get_parent()) {
    text.words.insert(text.words.begin(), app->get_name());
  }
  text.help = app_->get_description();  // NOLINT(clang-analyzer-core.CallAndMessage): no set of options is without its command
  text.footer = app_->get_footer();
  text.group = app_->get_group();
  text.needs_command = app_->get_require_subcommand_min() > 0;
  for (const Option& option : options()) {
    if (OptionDescription one = option.description(); !one.group.empty()) {
      text.options.push_back(std::move(one));
    }
  }
  std::stable_partition(text.options.begin(), text.options.end(), [](const OptionDescription& option) { return option.is_argument; });
  for (const OptionSet& command : commands()) {
    text.commands.push_back(command.description());
  }
  return text;
}

Option OptionSet::noted(CLI::Option* option, const char* type) const {
  OptionNotes& notes = (*notes_)[option];
  notes.type = type;
  return {option, notes};
}

std::string OptionSet::name() const { return app_->get_name(); }

}  // namespace flopcast::cli
