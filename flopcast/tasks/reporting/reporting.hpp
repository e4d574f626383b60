#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/report/page.hpp"
#include "flopcast/report/picture.hpp"
#include "flopcast/report/table.hpp"

/// Pages and pictures of results, made of the documents (JSON) that commands write.
namespace flopcast {

/// A document, and the file or command that it comes from.
struct NamedDocument {
  std::string name, text;
};

/// A step of what the reader can do now.
struct PageStep {
  std::string text, command;  ///< the command that does it; empty: none
};

struct TitledTable {
  std::string title;
  report::Table table;
  bool folded = false;  ///< the reader opens it
};

/// The contents of the page about one document.
struct PageContents {
  std::string question, answer;  ///< sentences; without an answer the tables speak
  report::Trust trust = report::Trust::unknown;
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< machine, libraries, command
  std::vector<report::Picture> pictures = {};                   ///< the main one first
  std::vector<TitledTable> tables = {};
  std::vector<PageStep> steps = {};
  std::vector<std::string> warnings = {};
};

/// Returns the documents in a file: one of JSON, or all that a page embeds. "-" is standard input. Throws bad_input that names the file.
std::vector<NamedDocument> read_documents(const std::string& file);

/// Throws bad_input that names the document if it is damaged, of a kind that is unknown, or written by a newer flopcast.
PageContents contents_of(const NamedDocument& document);

/// Returns the main picture of a document. Throws as contents_of(), and bad_input for documents of which nothing is drawn.
report::Picture main_picture(const NamedDocument& document);

/// Returns a short page for a notebook: question, answer, main picture and first table. Throws as contents_of().
report::Page summary_of(const NamedDocument& document);

/// Returns one page about all documents, in their order. The page says if they come from several machines. `noise` are sentences on what
/// made the machine noisy while the documents were made, and `command` is the command line that made them. Throws as contents_of().
report::Page page_of(const std::vector<NamedDocument>& documents, const std::vector<std::string>& noise = {},
                     const std::string& command = {});

}  // namespace flopcast
