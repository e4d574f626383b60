#pragma once

#include <string>
#include <string_view>

namespace flopcast {

/// Makes `path` a regular file with the contents `text`, as a whole or not at all, however the process ends. The text goes to a file
/// without a name, which gets its name when it is complete and on disk. (Where the file system has no files without names, a file
/// `path.XXXXXX` takes its place, which remains if the process is killed.) A file that was there gives its permissions, and its owner as
/// far as the process may. `path` must not be a symbolic link, because the link would be replaced. Throws environment_error; an existing
/// file is then unchanged.
void replace_file(const std::string& path, std::string_view text);

}  // namespace flopcast
