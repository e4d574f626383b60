#include "flopcast/cli/manual/documents.hpp"

#include <filesystem>

#include "flopcast/cli/manual/completion.hpp"
#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/support/file.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;

/// Writes a file and the folders that it is in.
void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_file(file.string(), text);
}

/// The folders are those below an installation's share/.
void write_all(const fs::path& folder, const std::string& date, const CommandDescription& top, const std::string& version) {
  for (const CommandDescription* command : all_commands(top)) {
    const ManualPage page = manual_page(*command, top, date, version);
    write(folder / "man/man1" / (page.name + ".1"), page.text);
  }
  write(folder / "bash-completion/completions/flopcast", bash_completion(top));
  write(folder / "zsh/_flopcast", zsh_completion(top));
  write(folder / "fish/vendor_completions.d/flopcast.fish", fish_completion(top));
  write(folder / "commands.md", commands_page(top));
}

}  // namespace

std::optional<int> write_documents(const std::vector<std::string>& words, const OptionSet& top, const std::string& version) {
  if (words.size() == 3 && words[0] == "--documents") {
    write_all(words[1], words[2], top.description(), version);
    return 0;
  }
  if (words.size() == 2 && words[0] == "--names") {
    write_file("-", names_for_completion(words[1]));
    return 0;
  }
  return std::nullopt;
}

}  // namespace flopcast::cli
