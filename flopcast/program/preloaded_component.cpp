#include "flopcast/program/preloaded_component.hpp"

#include <filesystem>

#include "flopcast/program/component.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast::program {

PreloadedComponent::PreloadedComponent(std::string_view name) {
  const std::filesystem::path file = std::filesystem::absolute(find_component(name));
  if (is_listable(file)) {
    path_ = file.string();
  } else {
    path_ = folder_.emplace().link(std::string(name), file).string();
  }
}

void PreloadedComponent::put_first(std::vector<std::string>& environment) const { process::preload(environment, path_); }

}  // namespace flopcast::program
