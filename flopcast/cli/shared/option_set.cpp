#include "flopcast/cli/shared/option_set.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <utility>

namespace flopcast::cli {

Option& Option::placeholder(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
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

Option& Option::describe(const std::string& help) {
  option_->description(help);
  return *this;
}

Option& Option::choices(std::vector<std::string> values) {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}

Option& Option::range(std::int64_t min, std::int64_t max) {
  option_->check(CLI::Range(min, max));
  return *this;
}

Option& Option::range(double min, double max) {
  option_->check(CLI::Range(min, max));
  return *this;
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

Option& Option::values(int min, int max) {
  option_->expected(min, max);
  return *this;
}

Option& Option::one_value() {
  option_->allow_extra_args(false);
  return *this;
}

bool Option::given() const { return option_->count() > 0; }

Option OptionSet::option(const std::string& names, std::string& to, const std::string& help) {
  return Option(app_->add_option(names, to, help));
}
Option OptionSet::option(const std::string& names, std::vector<std::string>& to, const std::string& help) {
  return Option(app_->add_option(names, to, help));
}
Option OptionSet::option(const std::string& names, int& to, const std::string& help) { return Option(app_->add_option(names, to, help)); }
Option OptionSet::option(const std::string& names, std::optional<int>& to, const std::string& help) {
  return Option(app_->add_option(names, to, help));
}
Option OptionSet::option(const std::string& names, long& to, const std::string& help) { return Option(app_->add_option(names, to, help)); }
Option OptionSet::option(const std::string& names, long long& to, const std::string& help) {
  return Option(app_->add_option(names, to, help));
}
Option OptionSet::option(const std::string& names, unsigned long& to, const std::string& help) {
  return Option(app_->add_option(names, to, help));
}
Option OptionSet::option(const std::string& names, double& to, const std::string& help) {
  return Option(app_->add_option(names, to, help));
}

Option OptionSet::parsed(const std::string& names, const std::function<void(const std::string&)>& parse, const std::string& help) {
  return Option(app_->add_option_function<std::string>(names, parse, help));
}

Option OptionSet::flag(const std::string& names, bool& to, const std::string& help) { return Option(app_->add_flag(names, to, help)); }

Option OptionSet::flag(const std::string& names, std::function<void()> use, const std::string& help) {
  return Option(app_->add_flag_callback(names, std::move(use), help));
}

OptionSet OptionSet::add_command(const std::string& name, const std::string& help) { return OptionSet(app_->add_subcommand(name, help)); }

void OptionSet::require_command() { app_->require_subcommand(1); }

void OptionSet::footer(const std::string& text) { app_->footer(text); }

void OptionSet::action(std::function<void()> run) {
  app_->callback([run = std::move(run)] {
    if (std::getenv(parse_only_variable) == nullptr) {
      run();
    }
  });
}

bool OptionSet::given(const std::string& name) const { return app_->get_option(name)->count() > 0; }

bool OptionSet::has_command() const { return !app_->get_subcommands().empty(); }

std::vector<std::string> OptionSet::given_options() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() > 0 && option->get_group() != common_group) {
      names.push_back(option->get_name());
    }
  }
  return names;
}

Option OptionSet::find(const std::string& name) const { return Option(app_->get_option(name)); }

std::vector<OptionSet> OptionSet::commands() const {
  std::vector<OptionSet> all;
  for (CLI::App* command : app_->get_subcommands({})) {
    all.emplace_back(command);
  }
  return all;
}

std::string OptionSet::name() const { return app_->get_name(); }

}  // namespace flopcast::cli
