#include "flopcast/tasks/programs/programs.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/what_if_evaluation.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t max_threads = 1024;
constexpr const char* expected =
    "expected same, or some of blas=NAME, lapack=NAME, threads=N, threads=auto, kernels=auto, kernels=library and nb, with commas between "
    "them";

/// Sets what one word of the list says. Returns false if the word isn't understood.
bool set_word(WhatIf& question, const std::string& name, const std::string& value, bool has_value) {
  if (name == "nb" && !has_value) {
    question.tuned_blocks = true;
  } else if (name == "blas" && !value.empty()) {
    question.blas = value;
  } else if (name == "lapack" && !value.empty()) {
    question.lapack = value;
  } else if (name == "kernels" && (value == "auto" || value == "library")) {
    question.kernels = value;
  } else if (name == "threads") {
    question.threads = parse_thread_count(value, "--what-if threads");
  } else {
    return false;
  }
  return true;
}

}  // namespace

int parse_thread_count(std::string_view text, std::string_view what) {
  if (text == "auto") {
    return 0;
  }
  try {
    return static_cast<int>(parse_integer(text, what, 1, max_threads));
  } catch (const Error&) {
    throw Error(what.starts_with("--") ? ExitCode::usage : ExitCode::bad_input,
                fmt::format("{}: '{}' given, expected a whole number from 1 to {}, or auto", what, text, max_threads));
  }
}

WhatIf parse_what_if(const std::string& text) {
  WhatIf question;
  if (text == "same") {
    return question;
  }
  std::set<std::string> given;
  for (const std::string_view part : split(text, ',')) {
    const std::string word(part);
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    if (!given.insert(name).second) {
      throw usage_error("--what-if {}: {} is given twice", text, name);
    }
    const bool has_value = sign != std::string::npos;
    if (!set_word(question, name, has_value ? word.substr(sign + 1) : "", has_value)) {
      throw usage_error("--what-if {}: '{}' is not understood; {}", text, word, expected);
    }
  }
  return question;
}

std::string to_string(const WhatIf& question) {
  if (question.is_same()) {
    return "same";
  }
  std::string text;
  const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
  for (const auto& [name, value] : {std::pair("blas=", question.blas), std::pair("lapack=", question.lapack),
                                    std::pair("threads=", !question.threads        ? ""
                                                          : *question.threads == 0 ? "auto"
                                                                                   : std::to_string(*question.threads)),
                                    std::pair("kernels=", question.kernels)}) {
    if (!value.empty()) {
      add(name + value);
    }
  }
  if (question.tuned_blocks) {
    add("nb");
  }
  return text;
}

std::vector<WhatIfEvaluation> evaluate(const std::vector<WhatIf>& questions, const OpenedRecording& opened, const WhatIfOptions& options,
                                       const RunContext& context) {
  EvaluationOptions evaluation{options};
  evaluation.failed = [&context](const WhatIfResult& result) {
    context.note(fmt::format("--what-if {} can't be answered: {}", to_string(result.question), result.failure));
  };
  evaluation.one_thread_remedy = [](const WhatIf& question) {
    return fmt::format("Ask {}threads=1", question.blas.empty() ? "" : "blas=" + question.blas + ",");
  };
  return evaluate(questions, opened.file, opened.breakdown, opened.place, evaluation, this_machine(opened.file, context), context);
}

}  // namespace flopcast
