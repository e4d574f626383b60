// Each command of the program is one call of the library.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace flopcast::testing {
namespace {

namespace fs = std::filesystem;

/// A command's folder below flopcast/cli, and the functions of the library that it calls.
struct Command {
  std::string folder;
  std::vector<std::string> functions;
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"machine", {"inspect_machine"}},
      {"tune", {"tune", "tune_lapack", "tune_jointly", "tune_program"}},
      {"rank", {"rank"}},
      {"contract", {"rank_algorithms", "run_contraction"}},
      {"roofline", {"measure_roofline", "plan_roofline"}},
      {"run", {"run_program"}},
      {"env", {"program_environment"}},
      {"wisdom",
       {"list_wisdom", "export_wisdom", "import_wisdom", "import_system_wisdom", "merge_wisdom", "forget_wisdom", "check_wisdom",
        "prune_wisdom"}},
      {"export", {"export_ilaenv"}},
      {"record", {"record_program"}},
      {"doctor", {"diagnose_program"}},
      {"profile", {"profile_program", "export_timeline"}},
      {"race", {"race_commands"}},
      {"compare", {"compare_results", "save_baseline"}},
      {"report", {"page_of"}},
      {"extract", {"extract_calls"}},
      {"scale", {"scale_program"}},
      {"verify", {"verify_libraries"}},
      {"mpi", {"run_mpi", "tune_mpi", "advise_mpi", "simulate_mpi", "describe_mpi_machine"}},
      {"sample", {"sample"}},
      {"model", {"build_model", "plan_model", "list_models", "find_model", "delete_model", "check_models"}},
      {"trace", {"record_trace"}},
      {"predict", {"predict", "predict_trace"}},
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

TEST(Commands, EveryCommandHasARow) {
  const std::set<std::string> about_commands = {"shared", "columns", "help",
                                                "manual"};  // texts about the command line, which are no commands
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

TEST(Commands, EveryCommandCallsTheLibrary) {
  for (const Command& command : commands()) {
    const std::string text = sources_of(fs::path(FLOPCAST_SOURCES) / "cli" / command.folder);
    for (const std::string& function : command.functions) {
      EXPECT_TRUE(text.find(function + '(') != std::string::npos) << "cli/" << command.folder << " doesn't call " << function;
    }
  }
}

}  // namespace
}  // namespace flopcast::testing
