#include "flopcast/tasks/programs/wisdom.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/planner/wisdom.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/wisdom_services.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"
#include "tests/schema_check.hpp"

namespace flopcast::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* blis = "/lib/blis/libblis.so";
constexpr const char* kernels_name = "a CPU /lib/blis/libblis.so 1000";

WisdomMachine a_machine(const std::string& cpu = "a CPU", int cores = 4) {
  WisdomMachine machine;
  machine.topology.cpu = cpu;
  machine.topology.cores = cores;
  machine.digest = [](const std::string& path) { return path == blis ? std::string("build-id:1") : std::string(); };
  machine.bytes = [](const std::string& path) { return path == blis ? std::uintmax_t{1000} : 0; };
  return machine;
}

/// Returns block sizes of dgeqrf, tuned on a machine.
program::SavedTuning tuned(std::int64_t nb, const WisdomMachine& machine = a_machine(), std::int64_t order = 200) {
  program::SavedTuning tuning;
  Environment& environment = tuning.environment;
  environment.cpu = machine.topology.cpu;
  environment.blas.path = environment.lapack.path = blis;
  environment.blas.digest = environment.lapack.digest = "build-id:1";
  environment.fingerprint = machine::fingerprint(machine.topology, environment.blas, environment.lapack);
  tuning.set({"dgeqrf", "", {{order, order, {nb, 2, 0}, {}, 0, false}}});
  return tuning;
}

/// Returns the name of a plan that this version of flopcast could have made.
std::string plan_name(const Environment& environment) {
  const auto name = [&](int family) {
    return "m 4 n 5 threads 1 " + environment.fingerprint + " microbench family " + std::to_string(family);
  };
  int family = 1;
  while (family < 1000 && !contract::wisdom_conditions(name(family))->is_current) {
    ++family;
  }
  return name(family);
}
nlohmann::json plan_document(int m) {
  return {{"m", m},           {"n", 8},           {"k", 8},
          {"kernel", "gemm"}, {"threads", 1},     {"pack_a", true},
          {"pack_b", false},  {"rows", "stored"}, {"stream_c", false},
          {"loops", "nkm"},   {"kept", ""},       {"benchmark", true},
          {"seconds", 0.5}};
}
nlohmann::json kernels_document(const std::string& kernels) { return {{"kernels", kernels}, {"dgemm_flops_per_second", 1e9}}; }

/// Returns all kinds of wisdom.
Wisdom some_wisdom(const WisdomMachine& machine = a_machine()) {
  const program::SavedTuning tuning = tuned(48, machine);
  return {{tuning},
          {tuning.environment},
          {{model::artifact::kernel_choice, machine.topology.cpu + " /lib/blis/libblis.so 1000", kernels_document("skx")},
           {model::artifact::contraction_plan, plan_name(tuning.environment), plan_document(4)}}};
}

class Wisdoms : public ::testing::Test {
 protected:
  Wisdoms() {
    services_.tuning = (folder_.path() / "home/tuning.json").string();
    services_.store = folder_.path() / "home/flopcast.db";
    services_.system = folder_.path() / "system";
    services_.open = [this](const RunContext&) { return model::Store::open(services_.store); };
    services_.machine = [] { return a_machine(); };
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
  }
  std::string write(const std::string& name, const Wisdom& wisdom) const { return write(name, wisdom_text(wisdom)); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return (folder_.path() / name).string();
  }
  WisdomImport import(const std::string& file) { return import_wisdom({file, ""}, services_, context_); }
  WisdomList list(const std::string& file = "") { return list_wisdom({file, ""}, services_, context_); }
  std::vector<std::string> kinds(const std::vector<WisdomEntry>& entries) const {
    std::vector<std::string> all;
    for (const WisdomEntry& entry : entries) {
      all.push_back(entry.kind);
    }
    return all;
  }

  OwnFolder folder_;
  WisdomServices services_;
  RunContext context_;
  std::vector<std::string> notes_;
};

TEST_F(Wisdoms, WhatIsImportedIsListedAndExportedAgain) {
  const std::string file = write("wisdom", some_wisdom());
  EXPECT_THAT(kinds(import(file).taken), ElementsAre("block sizes", "plan", "kernels"));
  EXPECT_THAT(kinds(list().entries), ElementsAre("block sizes", "plan", "kernels"));
  EXPECT_EQ(list().entries[0].subject, "dgeqrf, order 200");
  EXPECT_EQ(list().entries[0].cpu, "a CPU");
  EXPECT_EQ(list().entries[0].file, services_.tuning);
  EXPECT_EQ(list().entries[1].subject, "m 4 n 5, effort microbench");
  EXPECT_EQ(list().entries[1].cpu, "a CPU");
  EXPECT_EQ(list().entries[1].file, services_.store.string());
  EXPECT_EQ(list().entries[2].subject, "/lib/blis/libblis.so: skx");
  EXPECT_EQ(list().entries[2].cpu, "a CPU");
  EXPECT_EQ(export_wisdom(services_, context_), wisdom_text(some_wisdom()));
}

TEST_F(Wisdoms, ThereIsNothingToExportAtFirstAndNoStoreIsMade) {
  EXPECT_THAT(bad_input_of([&] { export_wisdom(services_, context_); }), HasSubstr(services_.tuning));
  EXPECT_THAT(list().entries, IsEmpty());
  EXPECT_FALSE(fs::exists(services_.store));
}

TEST_F(Wisdoms, OtherMachinesEntriesAreLeftOutAndItIsSaidWhy) {
  Wisdom wisdom = some_wisdom();
  add_wisdom(wisdom, some_wisdom(a_machine("another CPU")));
  add_wisdom(wisdom, {{tuned(64, a_machine("a CPU", 8))}, {}, {}});
  program::SavedTuning moved = tuned(64);
  moved.environment.blas.path = "/opt/libblis.so";
  moved.environment.threads = 2;
  add_wisdom(wisdom, {{moved}, {}, {}});
  const WisdomImport imported = import(write("wisdom", wisdom));
  EXPECT_THAT(imported.taken, SizeIs(3));
  std::string reasons;
  for (const WisdomEntry& entry : imported.left_out) {
    reasons += entry.misfit + "\n";
  }
  EXPECT_THAT(imported.left_out, SizeIs(5));
  EXPECT_THAT(reasons,
              AllOf(HasSubstr("'another CPU'"), HasSubstr("other cores or caches"), HasSubstr("there is no library /opt/libblis.so")));
  EXPECT_EQ(program::places(program::read_tuning(services_.tuning)).size(), 1U);
  EXPECT_EQ(services_.open(context_).environments().size(), 1U) << "the one that the plan refers to";
}

TEST_F(Wisdoms, APlanForABlasAloneHolds) {
  Environment environment = tuned(48).environment;
  environment.lapack = {};
  environment.fingerprint = machine::fingerprint(a_machine().topology, environment.blas, environment.lapack);
  const std::string file =
      write("wisdom", {{}, {environment}, {{model::artifact::contraction_plan, plan_name(environment), plan_document(4)}}});
  EXPECT_THAT(import(file).taken, SizeIs(1));
}

TEST_F(Wisdoms, ARebuiltLibraryFitsNoMore) {
  services_.machine = [] {
    WisdomMachine machine = a_machine();
    machine.digest = [](const std::string&) { return std::string("build-id:2"); };
    machine.bytes = [](const std::string&) { return std::uintmax_t{1001}; };
    return machine;
  };
  const WisdomImport imported = import(write("wisdom", some_wisdom()));
  EXPECT_THAT(imported.taken, IsEmpty());
  ASSERT_THAT(imported.left_out, SizeIs(3));
  EXPECT_THAT(imported.left_out[0].misfit, HasSubstr("another build"));
  EXPECT_FALSE(fs::exists(services_.tuning));
}

TEST_F(Wisdoms, ABadFileIsNamedWithItsMemberAndChangesNothing) {
  import(write("wisdom", some_wisdom()));
  const std::string before = export_wisdom(services_, context_);
  nlohmann::json good =
      nlohmann::json::parse(wisdom_text({{tuned(99)}, {}, {{model::artifact::kernel_choice, "x", kernels_document("y")}}}));
  const auto refusal = [&](auto damage) {
    nlohmann::json document = good;
    damage(document);
    const std::string file = write("bad", document.dump());
    const std::string message = bad_input_of([&] { import(file); });
    EXPECT_THAT(message, HasSubstr(file));
    EXPECT_EQ(export_wisdom(services_, context_), before);
    return message;
  };
  EXPECT_THAT(refusal([](auto& d) { d["tunings"][0]["routines"][0]["points"][0]["nb"] = "many"; }),
              AllOf(HasSubstr("tunings[0]"), HasSubstr("nb")));
  EXPECT_THAT(refusal([](auto& d) { d["artifacts"][0]["document"].erase("kernels"); }),
              AllOf(HasSubstr("artifacts[0].document"), HasSubstr("kernels")));
  EXPECT_THAT(refusal([](auto& d) { d["artifacts"][0]["kind"] = "contraction-plan"; }), HasSubstr("artifacts[0].document"));
  EXPECT_THAT(refusal([](auto& d) { d.erase("environments"); }), HasSubstr("environments"));
  EXPECT_THAT(refusal([](auto& d) { d["schema"] = "flopcast-wisdom-9"; }), HasSubstr("flopcast-wisdom-9"));
  EXPECT_THAT(bad_input_of([&] { import(folder_.path() / "none"); }), HasSubstr("none"));
}

TEST_F(Wisdoms, KindsOfLaterVersionsAreIgnored) {
  nlohmann::json document = nlohmann::json::parse(wisdom_text(some_wisdom()));
  document["artifacts"].push_back({{"kind", "weather"}, {"name", "x"}, {"document", 1}});
  document["colour"] = "blue";
  EXPECT_EQ(wisdom_text(parse_wisdom(document.dump(), "wisdom")), wisdom_text(some_wisdom()));
}

TEST_F(Wisdoms, EntriesOfOtherFormsInTheStoreDontTravel) {
  import(write("wisdom", some_wisdom()));
  model::Store store = services_.open(context_);
  put_artifact(store, model::artifact::contraction_plan, "no name of a plan", 1);
  put_artifact(store, model::artifact::kernel_choice, kernels_name, {{"kernels", 7}});
  EXPECT_THAT(kinds(list().entries), ElementsAre("block sizes", "plan"));
}

TEST_F(Wisdoms, AnImportIsAllOrNothing) {
  fs::create_directories(services_.tuning);  // a folder, so that the tuning file can't be written
  std::ofstream(fs::path(services_.tuning) / "file") << "";
  EXPECT_THROW(import(write("wisdom", some_wisdom())), Error);
  EXPECT_THAT(artifact_names(model::Store::open(services_.store), model::artifact::contraction_plan), IsEmpty());
  fs::remove_all(services_.tuning);

  program::save_tuning(services_.tuning, tuned(16));
  const std::string before = contents(services_.tuning);
  fs::remove(services_.store);
  services_.open = [](const RunContext&) -> model::Store { throw environment_error("no store"); };
  EXPECT_THROW(import(write("wisdom", some_wisdom())), Error);
  EXPECT_EQ(contents(services_.tuning), before);
}

TEST_F(Wisdoms, ImportedBlockSizesJoinTheUsersOwn) {
  program::save_tuning(services_.tuning, tuned(16, a_machine(), 800));
  import(write("wisdom", {{tuned(48)}, {}, {}}));
  const program::SavedTuning tuning = program::read_tuning(services_.tuning);
  ASSERT_EQ(tuning.routines[0].points.size(), 2U);
  EXPECT_EQ(tuning.routines[0].points[0].blocks.nb, 48);
  EXPECT_EQ(tuning.routines[0].points[1].blocks.nb, 16);
}

TEST_F(Wisdoms, MergingIsDeterministicAndTheLaterFileWins) {
  Wisdom one = some_wisdom(), two = some_wisdom(a_machine("another CPU"));
  two.tunings.push_back(tuned(80));
  two.artifacts.push_back({model::artifact::kernel_choice, kernels_name, kernels_document("zen")});
  const std::string a = write("a", one), b = write("b", two);
  const std::string merged = merge_wisdom({a, b}, context_);
  EXPECT_THAT(notes_, ElementsAre(b + " changes 2 entries of the files before it"));
  EXPECT_EQ(merge_wisdom({a, b}), merged);
  EXPECT_EQ(merge_wisdom({write("ab", merged)}), merged);
  EXPECT_EQ(merge_wisdom({a, a}), wisdom_text(one));
  const Wisdom read = parse_wisdom(merged, "merged");
  EXPECT_EQ(read.tunings.size(), 2U);
  EXPECT_EQ(read.tunings[0].routines[0].points[0].blocks.nb, 80);
  EXPECT_EQ(read.artifacts.size(), 4U);
  EXPECT_THAT(merged, HasSubstr("zen"));
  EXPECT_THAT(merge_wisdom({b, a}), ::testing::Not(HasSubstr("zen")));
  const Wisdom apart = some_wisdom(a_machine("a third CPU"));
  const std::string c = write("c", apart);
  EXPECT_EQ(merge_wisdom({a, c}), merge_wisdom({c, a})) << "without conflicts the order has no effect";
}

TEST_F(Wisdoms, SystemsEntriesAreListedBehindTheUsersOwn) {
  import(write("wisdom", {{tuned(48)}, {}, {}}));
  Wisdom systems = some_wisdom(a_machine("another CPU"));
  write("system", systems);
  const WisdomList found = list();
  ASSERT_EQ(found.entries.size(), 4U);
  EXPECT_EQ(found.entries[0].file, services_.tuning);
  EXPECT_EQ(found.entries[1].file, services_.system.string());
  EXPECT_THAT(found.entries[1].misfit, HasSubstr("'another CPU'"));
}

TEST_F(Wisdoms, TheSystemsEntriesAreTakenWhereTheUserHasNone) {
  const auto import_system = [&] { return import_system_wisdom(services_, context_); };
  EXPECT_THAT(import_system().taken, IsEmpty()) << "there is no system's wisdom";
  EXPECT_FALSE(fs::exists(services_.tuning));
  import(write("wisdom", {{tuned(48)}, {}, { { model::artifact::kernel_choice, kernels_name, kernels_document("zen") } }}));
  Wisdom systems = some_wisdom();
  systems.tunings[0] = tuned(96);
  systems.tunings[0].set({"dpotrf", "L", {{200, 200, {64, 2, 0}, {}, 0, false}}});
  program::SavedTuning second = tuned(128);
  second.environment.threads = 2;
  systems.tunings.push_back(second);
  add_wisdom(systems, some_wisdom(a_machine("another CPU")));
  write("system", systems);
  const WisdomImport imported = import_system();
  EXPECT_THAT(kinds(imported.taken), ElementsAre("block sizes", "block sizes", "plan"));
  EXPECT_THAT(imported.left_out, SizeIs(3));
  const std::vector<program::SavedTuning> own = program::places(program::read_tuning(services_.tuning));
  ASSERT_THAT(own, SizeIs(2));
  EXPECT_EQ(own[0].environment.threads, tuned(48).environment.threads) << "the user's libraries stay first";
  ASSERT_THAT(own[0].routines, SizeIs(2));
  EXPECT_EQ(own[0].routines[0].points[0].blocks.nb, 48) << "the user's own block size stays";
  EXPECT_EQ(own[1].routines[0].points[0].blocks.nb, 128);
  EXPECT_EQ(find_artifact(model::Store::open(services_.store), model::artifact::kernel_choice, kernels_name), kernels_document("zen"));
  const std::string before = export_wisdom(services_, context_);
  EXPECT_THAT(import_system().taken, IsEmpty()) << "all of it is known";
  EXPECT_EQ(export_wisdom(services_, context_), before);
}

TEST_F(Wisdoms, ForgetsEntriesByIdentifierKindAndAll) {
  const std::string file = write("wisdom", some_wisdom());
  import(file);
  const std::string id = list().entries[2].id;
  EXPECT_THAT(kinds(forget_wisdom({{id}}, services_, context_).entries), ElementsAre("kernels"));
  EXPECT_THAT(kinds(list().entries), ElementsAre("block sizes", "plan"));
  EXPECT_THAT(bad_input_of([&] { forget_wisdom({{id}}, services_, context_); }), HasSubstr(id));
  EXPECT_THAT(bad_input_of([&] { forget_wisdom({{""}}, services_, context_); }), HasSubstr("no entry"));
  EXPECT_THAT(kinds(forget_wisdom({{}, WisdomKind::plans}, services_, context_).entries), ElementsAre("plan"));
  const std::string before = contents(services_.tuning);
  EXPECT_THAT(kinds(forget_wisdom({{}, {}, true}, services_, context_).entries), ElementsAre("block sizes"));
  EXPECT_EQ(contents(services_.tuning + ".previous"), before);
  EXPECT_THAT(list().entries, IsEmpty());
}

TEST_F(Wisdoms, ForgettingLeavesOtherBlockSizes) {
  program::SavedTuning second = tuned(64);
  second.environment.threads = 2;
  import(write("wisdom", {{tuned(48), second}, {}, {}}));
  const WisdomList before = list();
  ASSERT_EQ(before.entries.size(), 2U);
  forget_wisdom({{before.entries[0].id}}, services_, context_);
  ASSERT_EQ(list().entries.size(), 1U);
  EXPECT_EQ(list().entries[0], before.entries[1]);
}

TEST(WisdomOfContractions, IsListedInWords) {
  const auto matrices = contract::make_contraction(contract::parse_notation("ab=ai,ib"), {{'a', 2}, {'b', 15}, {'i', 7}});
  EXPECT_EQ(contract::contraction_text(contract::folded_key(matrices)), "ca,bc->ba (a=2, b=15, c=7) in double precision");
  EXPECT_EQ(contract::contraction_text("d m(4:1,0,1)(2:32,0,8) n(8:0,1,4) k(16:4,8,0) x"),
            "bda,dc->bca (a=4, b=2, c=8, d=16) in double precision");
  EXPECT_EQ(contract::contraction_text("c m n k(3:1,1,0) x(5:3,3,1)"), "ba,ba->b (a=3, b=5) in complex single precision");
  for (const char* other : {"", "d", "d m n k x", "q m(4:1,0,1) n k x", "d m(4:1) n", "d m(4:1,0,1", "m 4 n 5"}) {
    EXPECT_EQ(contract::contraction_text(other), other == std::string("d m(4:1,0,1") ? "a,->a (a=4) in double precision" : other);
  }
}

TEST_F(Wisdoms, BlockSizesAreListedByRoutinesAndOrders) {
  program::SavedTuning many = tuned(48);
  for (const char* name : {"dgelqf", "dgehrd", "dgetrf", "dsytrd", "dormqr", "zgeqrf"}) {
    many.set({name, "", {{100, 500, {32, 2, 0}, {}, 0, false}, {900, 900, {64, 2, 0}, {}, 0, false}}});
  }
  const std::string all = list(write("wisdom", {{many}, {}, {}})).entries.at(0).subject;
  EXPECT_THAT(all, AllOf(HasSubstr("dgeqrf, "), ::testing::EndsWith(" and 1 other, orders 100 to 900")));
}

TEST_F(Wisdoms, ACheckNamesWhatDiffersAndWhatToDo) {
  EXPECT_EQ(check_wisdom({}, services_, context_).summary, "there is no wisdom");
  EXPECT_EQ(check_wisdom({write("good", some_wisdom()), ""}, services_, context_).summary, "all 3 entries of wisdom hold on this machine");
  Wisdom wisdom = some_wisdom(a_machine("another CPU"));
  add_wisdom(wisdom, {{tuned(64, a_machine("a CPU", 8))}, {}, {}});
  program::SavedTuning moved = tuned(64);
  moved.environment.blas.path = "/opt/libblis.so";
  add_wisdom(wisdom, {{moved, tuned(48)}, {}, {}});
  model::Artifact older = some_wisdom().artifacts[1];
  older.name = older.name.substr(0, older.name.rfind(' ')) + " 0";
  add_wisdom(wisdom, {{}, {tuned(48).environment}, {older}});
  const WisdomCheck check = check_wisdom({write("wisdom", wisdom), ""}, services_, context_);
  EXPECT_EQ(check.others, 1U);
  std::multiset<std::string> parts;
  for (const WisdomEntry& entry : check.findings) {
    parts.insert(entry.differs);
    EXPECT_NE(entry.remedy, "") << entry.misfit;
  }
  EXPECT_THAT(parts, ElementsAre("CPU", "CPU", "CPU", "cores or caches", "library", "version"));
  EXPECT_EQ(check.summary, "6 of 7 entries of wisdom don't hold on this machine, which differs in: CPU, cores or caches, library, version");
  EXPECT_EQ(wisdom_check_from_json(to_json(check)), check);
  EXPECT_EQ(schema_violation(to_json(check), wisdom_schemas()), "");
}

TEST_F(Wisdoms, ACheckComparesTheUsersVariablesForKernels) {
  program::SavedTuning tuning = tuned(48);
  tuning.settings = {{"BLIS_ARCH_TYPE", "skx"}};
  import(write("wisdom", {{tuning}, {}, {}}));
  std::string value = "skx";
  services_.machine = [&value] {
    WisdomMachine machine = a_machine();
    machine.variable = [&value](const std::string&) { return value; };
    return machine;
  };
  EXPECT_THAT(check_wisdom({}, services_, context_).findings, IsEmpty());
  value = "haswell";
  const WisdomCheck check = check_wisdom({}, services_, context_);
  ASSERT_THAT(check.findings, SizeIs(1));
  EXPECT_EQ(check.findings[0].differs, "kernels");
  EXPECT_THAT(check.findings[0].misfit, AllOf(HasSubstr("BLIS_ARCH_TYPE=skx"), HasSubstr("haswell")));
  EXPECT_EQ(list().entries[0].misfit, "") << "the block sizes hold all the same";
}

TEST_F(Wisdoms, AFileThatCantBeReadIsAFinding) {
  const std::string file = write("system", std::string(R"({"schema": "flopcast-wisdom-9"})"));
  for (const ListWisdomRequest& request : {ListWisdomRequest{}, ListWisdomRequest{file, ""}}) {
    const WisdomCheck check = check_wisdom(request, services_, context_);
    ASSERT_THAT(check.findings, SizeIs(1));
    EXPECT_EQ(check.findings[0].differs, "file");
    EXPECT_THAT(check.findings[0].misfit, HasSubstr("flopcast-wisdom-9"));
  }
  EXPECT_THAT(bad_input_of([&] { check_wisdom({folder_.path() / "none", ""}, services_, context_); }), HasSubstr("none"));
}

TEST_F(Wisdoms, PruningRemovesWhatHoldsNoMoreAndLeavesOtherCpus) {
  services_.machine = [] { return a_machine("another CPU"); };
  import(write("others", some_wisdom(a_machine("another CPU"))));
  services_.machine = [] { return a_machine(); };
  import(write("wisdom", some_wisdom()));
  program::SavedTuning second = tuned(64);
  second.environment.threads = 2;
  import(write("second", {{second}, {}, {}}));
  const auto prune = [&](PruneRequest request) { return prune_wisdom(request, services_, context_); };
  const std::string before = contents(services_.tuning), previous = contents(services_.tuning + ".previous");
  EXPECT_THAT(prune({}).findings, IsEmpty());
  EXPECT_EQ(contents(services_.tuning), before);
  EXPECT_EQ(contents(services_.tuning + ".previous"), previous) << "nothing was written";

  services_.machine = [] {
    WisdomMachine rebuilt = a_machine();
    rebuilt.digest = [](const std::string&) { return std::string("build-id:2"); };
    return rebuilt;
  };
  const std::size_t all = list().entries.size();
  const WisdomCheck dry = prune({true});
  EXPECT_THAT(kinds(dry.findings), ElementsAre("block sizes", "block sizes", "plan"));
  EXPECT_EQ(list().entries.size(), all) << "a dry run removes nothing";
  EXPECT_EQ(prune({}).findings, dry.findings);
  EXPECT_THAT(list().entries, SizeIs(all - 3));
  EXPECT_EQ(contents(services_.tuning + ".previous"), before);
  EXPECT_THAT(prune({}).summary, HasSubstr("for other CPUs"));
  EXPECT_THAT(prune({false, true}).findings, ::testing::Not(IsEmpty()));
  EXPECT_THAT(kinds(list().entries), ElementsAre("kernels"));
}

TEST_F(Wisdoms, PruningIsAllOrNothing) {
  import(write("wisdom", some_wisdom()));
  services_.machine = [] { return a_machine("a CPU", 8); };
  const std::string tuning = services_.tuning, before = contents(tuning);
  fs::create_directories(tuning + ".previous/folder");  // so that the tuning file can't be kept
  EXPECT_THROW(prune_wisdom({}, services_, context_), Error);
  EXPECT_EQ(contents(tuning), before);
  EXPECT_THAT(artifact_names(model::Store::open(services_.store), model::artifact::contraction_plan), SizeIs(1));
}

TEST_F(Wisdoms, AnonymousWisdomHasNoLibrariesOfUsers) {
  Wisdom wisdom = some_wisdom();
  wisdom.artifacts.push_back({model::artifact::kernel_choice, "a CPU /home/ada/libblis.so 7", kernels_document("zen")});
  program::SavedTuning adas = tuned(64);
  adas.environment.blas.path = "/home/ada/libblis.so";
  adas.environment.threads = 2;
  wisdom.tunings.push_back(adas);
  program::save_tunings(services_.tuning, wisdom.tunings);
  model::Store store = services_.open(context_);
  put_together(store, wisdom.environments, wisdom.artifacts, [] {});
  EXPECT_THAT(export_wisdom(services_, context_), HasSubstr("/home/ada"));
  EXPECT_EQ(export_wisdom(services_, context_, true), wisdom_text(some_wisdom()));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("skipped")));
}

TEST_F(Wisdoms, DocumentsReadBackEqual) {
  const WisdomImport imported = import(write("wisdom", some_wisdom()));
  EXPECT_EQ(wisdom_import_from_json(to_json(imported)), imported);
  EXPECT_EQ(wisdom_list_from_json(to_json(list())), list());
  EXPECT_EQ(schema_violation(to_json(imported), wisdom_schemas()), "");
  EXPECT_EQ(schema_violation(to_json(list()), wisdom_schemas()), "");
  EXPECT_EQ(schema_violation(wisdom_text(some_wisdom()), wisdom_schemas()), "");
}

TEST_F(Wisdoms, OfTheSystemCountsOnlyAsFarAsItHoldsHere) {
  const std::string file = write("system", some_wisdom(a_machine("no CPU that anybody has")));
  ::setenv("FLOPCAST_SYSTEM_WISDOM", file.c_str(), 1);
  EXPECT_TRUE(system_wisdom(context_) == Wisdom{});
  EXPECT_THAT(notes_, IsEmpty());
  write("system", std::string("{"));
  EXPECT_TRUE(system_wisdom(context_) == Wisdom{});
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("the system's wisdom has no effect"), HasSubstr(file))));
  ::setenv("FLOPCAST_SYSTEM_WISDOM", "", 1);
  EXPECT_TRUE(system_wisdom_file().empty());
  ::unsetenv("FLOPCAST_SYSTEM_WISDOM");
  EXPECT_EQ(system_wisdom_file(), "/etc/flopcast/wisdom");
}

}  // namespace
}  // namespace flopcast::tests
