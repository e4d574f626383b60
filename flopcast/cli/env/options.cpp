#include <memory>
#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"help(Programs that start with these variables run as under 'flopcast run'. A program that is bound to its
BLAS by a path keeps that BLAS; 'flopcast run' replaces it.

Examples:
  eval "$(flopcast env)"                      sh, bash, zsh
  eval "`flopcast env --format csh`"          csh, tcsh
  flopcast env --format fish | source         fish
  flopcast env --format lmod --tuning /opt/flopcast/epyc.json --links /opt/flopcast/links >>tuned.lua
  flopcast env --blas openblas-serial --threads 1 --format json)help";

struct EnvOptions {
  EnvironmentRequest request;
  std::string format = "sh";
};

void print_environment(const EnvOptions& options, bool format_given, const CommonOptions& common) {
  const bool json = options.format == "json";
  if (common.json && format_given && !json) {
    throw usage_error("--json and --format {} exclude each other", options.format);
  }
  const ProgramEnvironment environment = program_environment(options.request, keeping_if_possible(program_context(common)));
  if (common.json || json) {
    emit_document(environment, common);
  } else {
    emit(to_text(environment, parse_environment_format(options.format)), common);
  }
}

}  // namespace

void add_env_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<EnvOptions>();
  OptionSet command = app.add_command("env", "Print what 'flopcast run' sets, for shells, jobs and modules");
  command.option("--format", options->format, "Form of the output: commands of a shell, a document, or lines of an Lmod module")
      .choices({"sh", "csh", "fish", "json", "lmod"})
      .show_default();
  add_request(command, options->request);
  command.footer(footer);
  command.action([options, command, &common] { print_environment(*options, command.given("--format"), common); });
}

}  // namespace flopcast::cli
