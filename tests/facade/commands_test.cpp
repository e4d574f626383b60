// Each command of the program is one call of the library.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "flopcast/flopcast.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// The address of a function proves that the library has it.
template <class Function>
bool exists(Function* function) {
  return function != nullptr;
}

/// A command's folder below flopcast/cli, and the functions of the library that it calls.
struct Command {
  std::string folder;
  std::vector<std::string> functions;
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"machine", {"inspect_machine"}},
      {"tune", {"tune", "tune_lapack", "tune_jointly"}},
      {"rank", {"rank_everywhere"}},
      {"contract", {"rank_algorithms", "run_contraction", "contract_files", "run_einsum", "einsum_files", "explain_einsum"}},
      {"roofline", {"measure_roofline", "plan_roofline", "compare_rooflines"}},
      {"run", {"run_program"}},
      {"env", {"program_environment"}},
      {"wisdom", {"list_wisdom", "export_wisdom", "import_wisdom", "import_system_wisdom", "merge_wisdom", "forget_wisdom"}},
      {"export", {"export_ilaenv"}},
      {"record", {"record_program"}},
      {"profile", {"profile_program"}},
      {"mpi", {"run_mpi", "tune_mpi", "simulate_mpi", "describe_mpi_machine"}},
      {"sample", {"sample"}},
      {"model", {"build_model", "plan_model", "list_models", "find_model", "delete_model", "check_models"}},
      {"trace", {"record_trace"}},
      {"predict", {"predict_problems", "predict_trace", "predict_recording"}},
      {"ask", {"ask"}},
      {"schema", {"schema", "schemas"}},
  };
  return all;
}

std::string sources_of(const fs::path& folder) {
  std::string text;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".cpp") {
      std::ifstream file(entry.path());
      text.append(std::istreambuf_iterator<char>(file), {});
    }
  }
  return text;
}

TEST(Facade, EveryCommandHasARow) {
  const std::set<std::string> about_commands = {"shared", "columns", "manual"};  // texts about the command line, which are no jobs
  std::set<std::string> listed, folders;
  for (const Command& command : commands()) {
    listed.insert(command.folder);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(FLOPCAST_SOURCES) / "cli")) {
    if (entry.is_directory() && about_commands.count(entry.path().filename()) == 0) {
      folders.insert(entry.path().filename());
    }
  }
  EXPECT_EQ(listed, folders);
}

TEST(Facade, EveryCommandCallsTheLibrary) {
  for (const Command& command : commands()) {
    const std::string text = sources_of(fs::path(FLOPCAST_SOURCES) / "cli" / command.folder);
    for (const std::string& function : command.functions) {
      EXPECT_TRUE(text.find(function + '(') != std::string::npos) << "cli/" << command.folder << " doesn't call " << function;
    }
  }
}

TEST(Facade, HasTheFunctionsOfEveryCommand) {
  EXPECT_TRUE(exists(inspect_machine) && exists(tune) && exists(tune_lapack) && exists(tune_jointly) && exists(rank) &&
              exists(rank_everywhere));
  EXPECT_TRUE(exists(rank_algorithms) && exists(run_contraction) && exists(contract_files) && exists(run_einsum) && exists(einsum_files) &&
              exists(explain_einsum) && exists(plan_einsum) && exists(plan_expression));
  EXPECT_TRUE(exists(measure_roofline) && exists(plan_roofline) && exists(compare_rooflines));
  EXPECT_TRUE(exists(record_program) && exists(profile_program) && exists(run_program) && exists(run_settings));
  EXPECT_TRUE(exists(static_cast<ProgramEnvironment (*)(const EnvironmentRequest&, const RunContext&)>(program_environment)));
  EXPECT_TRUE(exists(static_cast<WisdomList (*)(const WisdomRequest&, const RunContext&)>(list_wisdom)) &&
              exists(static_cast<std::string (*)(const WisdomRequest&, const RunContext&)>(export_wisdom)) &&
              exists(static_cast<WisdomImport (*)(const WisdomRequest&, const RunContext&)>(import_wisdom)) &&
              exists(import_system_wisdom) && exists(merge_wisdom) &&
              exists(static_cast<WisdomList (*)(const ForgetRequest&, const RunContext&)>(forget_wisdom)) && exists(export_ilaenv));
  EXPECT_TRUE(exists(run_mpi) && exists(tune_mpi) && exists(simulate_mpi) && exists(describe_mpi_machine));
  EXPECT_TRUE(exists(sample) && exists(build_model) && exists(plan_model) && exists(list_models) && exists(find_model));
  EXPECT_TRUE(exists(static_cast<ModelCheck (*)(const Workbench&, const ModelCheckRequest&, const RunContext&)>(check_models)));
  EXPECT_TRUE(exists(ask) && exists(ask_program) && exists(schema) && exists(schemas));
  EXPECT_TRUE(exists(record_trace) && exists(predict) && exists(predict_problems) && exists(predict_recording));
}

TEST(Facade, AWorkbenchOpensNothingByItself) {
  const Workbench bench({.blas = "no such library"});
  EXPECT_EQ(bench.choice().blas, "no such library");
  EXPECT_THROW(static_cast<void>(bench.environment()), Error);
}

}  // namespace
}  // namespace flopcast
