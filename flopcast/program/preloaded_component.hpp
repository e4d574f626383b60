#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/scratch.hpp"

namespace flopcast::program {

/// One of flopcast's libraries that is to be preloaded. A library whose own path isn't listable is preloaded through a link, which is
/// removed with this object.
class PreloadedComponent {
 public:
  /// Throws environment_error if there is no component called `name`, or if the link can't be made.
  explicit PreloadedComponent(std::string_view name);

  /// Puts the library before all libraries that `environment` preloads already.
  void put_first(std::vector<std::string>& environment) const;

 private:
  std::optional<ScratchFolder> folder_;
  std::string path_;
};

}  // namespace flopcast::program
