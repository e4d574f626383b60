#include "flopcast/program/prepared_program.hpp"

#include "flopcast/program/launch.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast::program {

PreparedProgram::PreparedProgram(const ProgramOptions& options, std::string_view component)
    : file_(find_program(options.command.at(0))), environment_(process::current_environment()) {
  require_preloadable(file_);
  if (options.libraries != LibraryFiles{}) {
    choose_libraries(options.libraries);
  }
  if (options.threads) {
    process::set_threads(environment_, *options.threads);
  }
  component_.emplace(component);
  component_->put_first(environment_);
}

void PreparedProgram::choose_libraries(const LibraryFiles& libraries) {
  links_.emplace(libraries);
  links_->put_first(environment_);
  const std::vector<std::filesystem::path> passed_over = links_->passed_over(loaded_libraries(file_, environment_));
  for (auto link = passed_over.rbegin(); link != passed_over.rend(); ++link) {
    process::preload(environment_, link->string());
  }
}

}  // namespace flopcast::program
