#include <map>
#include <sstream>
#include <string>

#include "flopcast/c/status.hpp"
#include "flopcast/c/workbench.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/tasks/programs/predict.hpp"

namespace flopcast::c {
namespace {

/// Reads "uplo=L trans=T".
std::map<std::string, std::string> arguments_of(const char* text) {
  std::map<std::string, std::string> arguments;
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw bad_input("'{}' is no argument; expected NAME=VALUE such as uplo=L", word);
    }
    if (!arguments.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      throw bad_input("argument '{}' is given twice", word.substr(0, equals));
    }
  }
  return arguments;
}

PredictRequest request_of(const char* routine, const flopcast_problem* given) {
  const auto problem = given_options(&required(given, "problem"), "flopcast_problem");
  constexpr std::int64_t max_size = 1'000'000;
  for (const auto& [name, value] :
       {std::pair("n", problem.n), std::pair("m", problem.m), std::pair("k", problem.k), std::pair("nb", problem.nb)}) {
    if (value < 0 || value > max_size) {
      throw bad_input("{} is {}, expected 0 (not given) to {}", name, value, max_size);
    }
  }
  PredictRequest request;
  request.problems.routine = routine;
  for (const auto& [name, size] : {std::pair("m", problem.m), std::pair("n", problem.n), std::pair("k", problem.k)}) {
    if (size > 0) {
      request.problems.sizes[name] = {size};
    }
  }
  if (problem.nb > 0) {
    request.problems.nb = {problem.nb};
  }
  request.problems.arguments = arguments_of(problem.flags);
  if (problem.time_budget != 0) {
    request.options.time_budget = std::max(problem.time_budget, 0.0);
  }
  return request;
}

}  // namespace
}  // namespace flopcast::c

flopcast_status flopcast_predict(flopcast_workbench* bench, const char* routine, const flopcast_problem* problem,
                                 flopcast_prediction* prediction) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_workbench& used = required(bench, "bench");
    flopcast_prediction& result = required(prediction, "prediction");
    const auto known = given_options(prediction, "flopcast_prediction");
    const flopcast::PredictRequest request = request_of(&required(routine, "routine"), problem);
    const auto turn = turn_of(used);
    const flopcast::Prediction found = flopcast::predict(*used.services.first(), request, used.context).predictions.front();
    const flopcast_prediction values = {known.size,          found.seconds, found.interval.low,
                                        found.interval.high, found.flops,   found.extrapolated_share};
    std::memcpy(&result, &values, std::min(known.size, sizeof values));
  });
}

flopcast_status flopcast_ask(flopcast_workbench* bench, const char* request, char** answer) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_workbench& used = required(bench, "bench");
    char*& result = required(answer, "answer");
    const std::string text = &required(request, "request");
    const auto turn = turn_of(used);
    result = new_text(flopcast::needs_own_process(text) ? flopcast::ask_program(used.services.first()->choice(), text, used.context)
                                                        : flopcast::ask(*used.services.first(), text, used.context));
  });
}

flopcast_status flopcast_schema(const char* name, char** text) {
  using namespace flopcast::c;
  return guarded([&] {
    char*& result = required(text, "text");
    result = new_text(flopcast::schema(&required(name, "name")));
  });
}
