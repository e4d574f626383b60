#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/programs/ilaenv.hpp"
#include "flopcast/tasks/programs/program_environment.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"

namespace flopcast {
namespace {

struct EnvironmentQuestion {
  std::string profile, blas, lapack;
  std::string kernels = RunRequest().kernels;
  std::optional<int> threads;
  bool other_machine = false;
  std::string links;
};

struct MergeQuestion {
  std::vector<std::string> files;
};

struct OwnWisdomQuestion {
  std::string profile;
};

struct ListWisdomQuestion {
  std::string file, profile;
};

struct IlaenvQuestion {
  std::string profile, blas;
  std::optional<int> threads;
  std::string language = "fortran";
};

/// A document that is text already.
struct WholeDocument {
  std::string text;
};
std::string to_json(const WholeDocument& document) { return document.text; }

EnvironmentRequest request_of(const EnvironmentQuestion& question) {
  EnvironmentRequest request;
  request.run.profile = question.profile;
  request.run.blas = question.blas;
  request.run.lapack = question.lapack;
  request.run.kernels = question.kernels;
  request.run.threads = question.threads;
  request.run.other_machine = question.other_machine;
  request.links = question.links;
  return request;
}

/// Returns the request. Throws MemberError for a kind that entries don't have, and for a request that names none.
const ForgetRequest& checked(const ForgetRequest& request) {
  constexpr std::array<std::string_view, 4> kinds = {"", "block-sizes", "kernels", "plans"};
  if (std::find(kinds.begin(), kinds.end(), request.kind) == kinds.end()) {
    throw MemberError("kind", "'" + request.kind + "' given, expected block-sizes, kernels or plans");
  }
  if (request.ids.empty() && request.kind.empty() && !request.all) {
    throw MemberError("", "nothing to forget; expected ids, kind or all");
  }
  return request;
}

IlaenvRequest request_of(const IlaenvQuestion& question) {
  IlaenvRequest request{question.profile, question.blas, question.threads};
  if (question.language != "fortran" && question.language != "c") {
    throw MemberError("language", "'" + question.language + "' given, expected fortran or c");
  }
  request.language = question.language == "c" ? program::SourceLanguage::c : program::SourceLanguage::fortran;
  return request;
}

}  // namespace

template <>
struct FieldTable<EnvironmentQuestion> {
  using T = EnvironmentQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::path_or_nothing,
             optional_field("profile", &T::profile, "file of tuned block sizes; empty: what `flopcast tune --save` keeps")),
      within(bounds::path_or_nothing, optional_field("blas", &T::blas, "BLAS for programs to load, by name or path; empty: their own")),
      within(bounds::path_or_nothing, optional_field("lapack", &T::lapack, "LAPACK for programs to load; empty: their own")),
      optional_field("kernels", &T::kernels, "kernels of BLAS: auto (those found best) or library (its own choice)"),
      within(bounds::threads, optional_field("threads", &T::threads, "threads of BLAS")),
      optional_field("other_machine", &T::other_machine, "accept a profile of another machine"),
      within(bounds::path_or_nothing,
             optional_field("links", &T::links, "folder for links to the libraries; it must remain; empty: in the user's data folder")));
};
template <>
struct FieldTable<ListWisdomQuestion> {
  using T = ListWisdomQuestion;
  static constexpr auto fields = std::tuple(
      optional_field("file", &T::file, "file of wisdom; empty: the user's own and the system's"),
      within(bounds::path_or_nothing, optional_field("profile", &T::profile, "the user's tuned profile; empty: the default one")));
};
template <>
struct FieldTable<OwnWisdomQuestion> {
  using T = OwnWisdomQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::path_or_nothing, optional_field("profile", &T::profile, "the user's tuned profile; empty: the default one")));
};
template <>
struct FieldTable<WisdomRequest> {
  using T = WisdomRequest;
  static constexpr auto fields = std::tuple(
      field("file", &T::file, "file of wisdom"),
      within(bounds::path_or_nothing, optional_field("profile", &T::profile, "the user's tuned profile; empty: the default one")));
};
template <>
struct FieldTable<MergeQuestion> {
  using T = MergeQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::path, field("files", &T::files, "files of wisdom; of entries with one name, that of the later file stays")));
};
template <>
struct FieldTable<ForgetRequest> {
  using T = ForgetRequest;
  static constexpr auto fields = std::tuple(
      optional_field("ids", &T::ids, "identifiers of entries to remove, or their beginnings"),
      optional_field("kind", &T::kind, "remove all entries of a kind: block-sizes, kernels or plans"),
      optional_field("all", &T::all, "remove all entries"),
      within(bounds::path_or_nothing, optional_field("profile", &T::profile, "the user's tuned profile; empty: the default one")));
};
template <>
struct FieldTable<IlaenvQuestion> {
  using T = IlaenvQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::path_or_nothing,
             optional_field("profile", &T::profile, "file of tuned block sizes; empty: what `flopcast tune --save` keeps")),
      within(bounds::path_or_nothing,
             optional_field("blas", &T::blas, "BLAS of the program, by name or path; empty: that of the profile's newest entry")),
      within(bounds::threads, optional_field("threads", &T::threads, "threads of BLAS; missing: as the entry has them")),
      optional_field("language", &T::language, "fortran or c"));
};

std::vector<Job> sharing_jobs() {
  return {
      job<EnvironmentQuestion>("environment", "Return the variables that a program is run with", "flopcast-environment-1",
                               DoneIn::own_process,
                               [](const Workbench&, const EnvironmentQuestion& question, const RunContext& context) {
                                 return program_environment(request_of(question), context);
                               }),
      job<ListWisdomQuestion>("wisdom_list", "List the user's wisdom and the system's, or that of a file", "flopcast-wisdom-list-1",
                              DoneIn::any_process,
                              [](const Workbench&, const ListWisdomQuestion& question, const RunContext& context) {
                                return list_wisdom({question.file, question.profile}, context);
                              }),
      job<OwnWisdomQuestion>("wisdom_export", "Return the user's wisdom", "flopcast-wisdom-1", DoneIn::any_process,
                             [](const Workbench&, const OwnWisdomQuestion& question, const RunContext& context) {
                               return WholeDocument{export_wisdom({"", question.profile}, context)};
                             }),
      job<WisdomRequest>(
          "wisdom_import", "Add a file's wisdom, as far as it holds on this machine, to the user's", "flopcast-wisdom-import-1",
          DoneIn::any_process,
          [](const Workbench&, const WisdomRequest& request, const RunContext& context) { return import_wisdom(request, context); }),
      job<OwnWisdomQuestion>("wisdom_import_system",
                             "Add the system's wisdom, as far as it holds on this machine and the user has none, to the user's",
                             "flopcast-wisdom-import-1", DoneIn::any_process,
                             [](const Workbench&, const OwnWisdomQuestion& question, const RunContext& context) {
                               return import_system_wisdom({"", question.profile}, context);
                             }),
      job<MergeQuestion>("wisdom_merge", "Return the wisdom of several files as one", "flopcast-wisdom-1", DoneIn::any_process,
                         [](const Workbench&, const MergeQuestion& question, const RunContext& context) {
                           return WholeDocument{merge_wisdom(question.files, context)};
                         }),
      job<ForgetRequest>("wisdom_forget", "Remove entries from the user's wisdom", "flopcast-wisdom-list-1", DoneIn::any_process,
                         [](const Workbench&, const ForgetRequest& request, const RunContext& context) {
                           return forget_wisdom(checked(request), context);
                         }),
      job<IlaenvQuestion>("export_ilaenv", "Return a source of LAPACK's ilaenv with tuned block sizes", "flopcast-ilaenv-1",
                          DoneIn::any_process,
                          [](const Workbench&, const IlaenvQuestion& question, const RunContext& context) {
                            return export_ilaenv(request_of(question), context);
                          }),
  };
}

}  // namespace flopcast
