#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/interpose/link_folder.hpp"

namespace flopcast::interpose {

/// A library of ours that is to be preloaded. Where its own path isn't listable it is preloaded through a link, which goes with this object.
class PreloadedComponent {
 public:
  /// Throws environment_error if there is no component called `name`, or it can't be linked.
  explicit PreloadedComponent(std::string_view name);

  /// Puts it before what is preloaded already.
  void put_first(std::vector<std::string>& environment) const;

 private:
  std::optional<LinkFolder> folder_;
  std::string path_;
};

}  // namespace flopcast::interpose
