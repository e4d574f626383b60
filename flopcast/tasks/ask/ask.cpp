#include "flopcast/tasks/ask/ask.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/ask/question.hpp"

namespace flopcast {

template <>
Fields FieldTable<machine::LibraryChoice>::fields() {
  return {optional_field<&T::blas>("name or path of the BLAS; empty: the default one").within(bounds::path_or_nothing),
          optional_field<&T::lapack>("name or path of the LAPACK; empty: the default one").within(bounds::path_or_nothing),
          optional_field<&T::threads>("threads of BLAS").within(bounds::threads),
          optional_field<&T::kernels>("kernels of the BLAS: auto (those that suit the CPU best) or library (its own choice)")
              .one_of({"auto", "library"}),
          optional_field<&T::kernel_settings>("environment variables that select kernels")};
}

namespace {

constexpr const char* source = "the request";
constexpr const char* workbench_member = "workbench";

/// A request in JSON: a command with its members.
struct Question {  // NOLINT(bugprone-exception-escape): null of JSON allocates nothing
  const Job* job = nullptr;
  nlohmann::json request;
  nlohmann::json workbench;  ///< null if the request says nothing about it
};

const Job* find_job(const std::string& name) {
  const auto found = std::find_if(all_jobs().begin(), all_jobs().end(), [&](const Job& job) { return job.name == name; });
  return found == all_jobs().end() ? nullptr : &*found;
}

std::string job_names() {
  std::string names;
  for (const Job& job : all_jobs()) {
    names += (names.empty() ? "" : ", ") + job.name;
  }
  return names;
}

/// Refuses members that the command's request doesn't have, so that a misspelt one isn't ignored, and values outside of their limits.
void require_members(const nlohmann::json& request, const std::function<nlohmann::ordered_json(SchemaMaker&)>& schema) {
  SchemaMaker maker(OtherMembers::refused);
  nlohmann::ordered_json root = schema(maker);
  require_members_and_bounds(request, maker.document("request", "", std::move(root)));
}

/// Reads the document of a request. Throws MemberError.
Question question_of(const nlohmann::json& document) {
  Question question;
  for (const auto& [name, value] : json_detail::members(document).items()) {
    if (name == workbench_member) {
      question.workbench = value;
      continue;
    }
    const Job* job = find_job(name);
    if (job == nullptr) {
      throw MemberError(name, "no such command; expected one of " + job_names());
    }
    if (question.job != nullptr) {
      throw MemberError(name, "a second command beside " + question.job->name + "; expected one command in a request");
    }
    question.job = job;
    question.request = value;
  }
  if (question.job == nullptr) {
    throw MemberError("", "there is no command; expected one of " + job_names());
  }
  at_place(question.job->name, [&] {
    static_cast<void>(json_detail::members(question.request));
    require_members(question.request, question.job->request);
    require_members(question.job->read(question.request), question.job->request);
  });
  return question;
}

/// Runs `use` on the request of a text. Errors about members become bad_input that names the request.
template <class Use>
auto with_question(std::string_view text, Use&& use) {
  const nlohmann::json document = parse_json(text, source, WrittenBy::hand);
  try {
    return use(question_of(document));
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} can't be answered: {}", source, reason(error));
  }
}

}  // namespace

const std::vector<Job>& all_jobs() {
  static const std::vector<Job> all = [] {
    std::vector<Job> jobs;
    for (const auto family : {tuning_jobs, program_jobs, sharing_jobs, modelling_jobs, roofline_jobs, contraction_jobs, mpi_jobs}) {
      std::vector<Job> more = family();
      std::move(more.begin(), more.end(), std::back_inserter(jobs));
    }
    return jobs;
  }();
  return all;
}

std::vector<JobDescription> jobs() { return {all_jobs().begin(), all_jobs().end()}; }

std::string ask(const Workbench& bench, std::string_view question, const RunContext& context) {
  return with_question(question, [&](const Question& asked) {
    return at_place(asked.job->name, [&] { return asked.job->answer_to(bench, asked.request, context); });
  });
}

machine::LibraryChoice question_libraries(std::string_view question, const machine::LibraryChoice& otherwise) {
  return with_question(question, [&](const Question& asked) {
    machine::LibraryChoice libraries = otherwise;
    if (!asked.workbench.is_null()) {
      at_place(workbench_member, [&] {
        require_members(asked.workbench, [](SchemaMaker& maker) { return maker.of<machine::LibraryChoice>(); });
        read_fields(asked.workbench, libraries);
      });
    }
    return libraries;
  });
}

bool needs_own_process(std::string_view question) {
  return with_question(question, [](const Question& asked) { return asked.job->own_process; });
}

bool shows_program(std::string_view question) {
  return with_question(question, [](const Question& asked) { return asked.job->shows_program; });
}

std::string question_with_libraries(std::string_view question, const machine::LibraryChoice& libraries) {
  nlohmann::json document = parse_json(question, source, WrittenBy::hand);
  if (!document.contains(workbench_member)) {
    document[workbench_member] = libraries;
  }
  return document.dump();
}

nlohmann::ordered_json question_schema() {
  SchemaMaker maker(OtherMembers::refused);
  nlohmann::ordered_json root = {{"type", "object"}, {"properties", nlohmann::ordered_json::object()}};
  nlohmann::ordered_json choices = nlohmann::ordered_json::array();
  for (const Job& job : all_jobs()) {
    add_member(root, job.name, described(job.request(maker), fmt::format("{}. Its answer is a {}.", job.summary, job.answer)), false);
    choices.push_back({{"required", nlohmann::ordered_json::array({job.name})}});
  }
  add_member(root, workbench_member, described(maker.of<machine::LibraryChoice>(), "libraries that the command uses"), false);
  root["oneOf"] = std::move(choices);
  root["additionalProperties"] = false;
  return maker.document("flopcast-question-1", "A command and its request", std::move(root));
}

}  // namespace flopcast
