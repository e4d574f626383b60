#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Reductions for what is sent to others (`--anonymous`): files have no folders, commands no arguments. Folders of the distribution's
/// libraries stay, because they name the library.
namespace flopcast {

/// Returns the file name at the end of a path: "qr" for "/home/ada/bin/qr". This function is also used by preloaded libraries.
inline std::string_view file_name(std::string_view path) noexcept {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  return path;
}

/// Returns the file name of a library. Below /usr/lib and /lib the folder of the library stays, as distributions tell libraries apart by
/// it: "openblas-serial/libblas.so.3". This function is also used by preloaded libraries.
inline std::string_view anonymous_library(std::string_view path) noexcept {
  const std::string_view name = file_name(path);
  std::string_view folder = path;
  folder.remove_suffix(name.size());  // the folder ends with a slash
  for (const std::string_view system : {"/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/"}) {
    if (folder.size() > system.size() && folder.substr(0, system.size()) == system) {
      path.remove_prefix(folder.rfind('/', folder.size() - 2) + 1);
      return path;
    }
  }
  return name;
}

/// Returns the file name of a command's program, without arguments; nothing for an empty command.
std::vector<std::string> anonymous_command(const std::vector<std::string>& command);

/// Returns a text with anonymous_library() of every path in it. Paths begin with /, ./, ../ or ~/ at the start of a word, after an equals
/// sign, or in quotation marks.
std::string without_paths(std::string_view text);

/// Returns the text of a JSON document without paths in its texts. Of every member "command" that is an array, the program's file name
/// stays, and members "host" become empty. `document` must be valid JSON, as `to_json` of results writes.
std::string anonymous_json(std::string_view document);

}  // namespace flopcast
