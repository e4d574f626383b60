#include "flopcast/machine/libraries/in_child.hpp"

#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "flopcast/support/child_process.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::machine {

nlohmann::json in_child(const std::function<nlohmann::json()>& work, Seconds limit) {
  Pipe pipe = make_pipe();
  const auto answer_into_pipe = [&] {
    pipe.read.close();
    nlohmann::json answer;
    try {
      answer["result"] = work();
    } catch (const std::exception& error) {
      answer["error"] = error.what();
    }
    write_all(pipe.write.get(), answer.dump());
    return 0;
  };
  ChildSetup setup;
  setup.silent = true;  // a library's output, or its message when it aborts, doesn't belong to flopcast's output
  ChildProcess child = ChildProcess::fork(answer_into_pipe, setup);
  pipe.write.close();
  const std::optional<std::string> text = read_to_end(pipe.read.get(), limit);
  if (!text) {
    throw environment_error("gave no answer within {}", format_seconds(limit));
  }
  if (const ExitStatus status = child.wait(); status.signal() != 0) {
    throw environment_error("crashed: {}", strsignal(status.signal()));
  }
  const nlohmann::json answer = nlohmann::json::parse(*text, nullptr, false);
  if (!answer.is_object()) {
    throw environment_error("ended without an answer");
  }
  if (answer.contains("error")) {
    throw environment_error("{}", member<std::string>(answer, "error"));
  }
  return answer.at("result");
}

}  // namespace flopcast::machine
