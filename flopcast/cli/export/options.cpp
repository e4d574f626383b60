#include <filesystem>
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

constexpr const char* footer = R"(Example:
  flopcast export ilaenv --language c --output ilaenv.c)";

constexpr const char* ilaenv_footer =
    R"(Link the compiled file before LAPACK. Routines that the tuning file lacks keep LAPACK's own block sizes.

Examples:
  flopcast export ilaenv --output ilaenv.f90 && gfortran -O2 program.f90 ilaenv.f90 -llapack -lblas
  flopcast export ilaenv --language c --threads 1 --output ilaenv.c && cc -O2 program.c ilaenv.c -llapack -lblas -lm)";

/// Refuses a name by which compilers would read the source in another language or form.
void check_output(const IlaenvRequest& request, const CommonOptions& common) {
  const std::string extension = std::filesystem::path(common.output).extension().string();
  const bool is_fortran = request.language == program::SourceLanguage::fortran;
  if (is_fortran && (extension == ".f" || extension == ".F" || extension == ".for")) {
    throw usage_error(
        "--output: compilers read '{}' as Fortran in fixed form, but the source has free form; expected a name such as ilaenv.f90",
        common.output);
  }
  if (extension == (is_fortran ? ".c" : ".f90")) {
    throw usage_error("--output: '{}' isn't the name of a {} source; --language chooses another language", common.output,
                      is_fortran ? "Fortran" : "C");
  }
}

void print_source(const IlaenvRequest& request, const CommonOptions& common) {
  if (!common.json) {
    check_output(request, common);
  }
  const IlaenvExport exported = export_ilaenv(request, run_context(common));
  if (common.json) {
    emit_document(exported, common);
  } else {
    emit(exported.source.text, common);
  }
}

}  // namespace

void add_export_command(OptionSet& app, CommonOptions& common) {
  OptionSet command = app.add_command("export", "Write tuned block sizes in a form that other tools read");
  command.require_command();
  command.footer(footer);
  auto request = std::make_shared<IlaenvRequest>();
  OptionSet ilaenv = command.add_command("ilaenv", "Write a source of LAPACK's ilaenv, for programs that can't be preloaded");
  add_request(ilaenv, *request);
  ilaenv.footer(ilaenv_footer);
  ilaenv.action([request, &common] { print_source(*request, common); });
}

}  // namespace flopcast::cli
