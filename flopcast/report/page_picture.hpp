#pragma once

#include <string>
#include <string_view>

#include "flopcast/report/picture.hpp"

namespace flopcast::report {

/// Returns the element <figure> of a picture: shapes that need no script, and the picture's JSON, of which page.js makes a chart of a Figure.
std::string picture_html(const Picture& picture);

/// Returns an element with JSON that scripts read.
std::string json_element(std::string_view attributes, std::string_view json);

}  // namespace flopcast::report
