#pragma once

#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"

/// Files with a page and a picture of the results, beside the results.
namespace flopcast::cli {

struct ResultFiles {
  std::string page, figure;  ///< empty: none
  std::string command;       ///< names the document on the page
  bool anonymous = false;    ///< the page has no folders and no arguments of commands

  [[nodiscard]] bool any() const { return !page.empty() || !figure.empty(); }
};

/// Adds --page, --figure, and --anonymous unless the command has it. Their values are checked before the work. `files` must outlive the parsing.
void add_result_files(OptionSet& command, ResultFiles& files);

/// Writes the files that are asked for. `document` is the results' JSON. Neither file is written if one of them can't be made.
void write_document_files(const std::string& document, const ResultFiles& files, const CommonOptions& common);

/// Writes the files of a result, whose document to_json() makes. Results are shown before.
template <class Result>
void write_result_files(const Result& result, const ResultFiles& files, const CommonOptions& common) {
  if (files.any()) {
    write_document_files(to_json(result), files, common);
  }
}

}  // namespace flopcast::cli
