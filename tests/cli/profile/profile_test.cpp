#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A real program, what it prints where its results are right, a routine that it calls at order 200, and one that queries its block size
/// then: itself, or one below it.
struct Client {
  std::string name, requires_command, command, prints, routine, queries = "dgeqrf";
  std::string blas = "openblas-serial";
};

void PrintTo(const Client& client, std::ostream* out) { *out << client.name; }  // the test's name holds no addresses

const std::vector<Client> clients = {
    {"Octave", "command -v octave-cli", "octave-cli --eval 'A = rand(200); [q, r] = qr(A); disp(norm(q * r - A) < 1e-10); A \\ A; svd(A);'",
     "1", "dgeqrf"},
    {"NumPy", "/usr/bin/python3 -c 'import numpy'",
     "/usr/bin/python3 -c 'import numpy as n; a = n.random.rand(200, 200); q, r = n.linalg.qr(a); n.linalg.svd(a); print(abs(q @ r - "
     "a).max() < 1e-12)'",
     "True", "dgeqrf"},
    {"R", "command -v Rscript",
     "Rscript -e 'set.seed(1); a <- matrix(runif(40000), 200); x <- solve(a); s <- svd(a); e <- eigen(a + t(a)); cat(max(abs(a %*% x - "
     "diag(200))) < 1e-8)'",
     "TRUE", "dgesv", "dgetrf", "reference"},  // over OpenBLAS R finds OpenBLAS's own LAPACK first, which queries no block size
#ifdef FLOPCAST_EXAMPLE_QR
    {"Fortran", "true", FLOPCAST_EXAMPLE_QR " 200", "residual", "dgeqrf"},
#endif
};

class ProfiledPrograms : public ::testing::TestWithParam<Client> {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "flopcast-profile-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }

  /// Gives the commands that follow a store of their own, which knows the measured machine and no other test adds to.
  void use_own_store() {
    ASSERT_EQ(run("mkdir " + file("store") + " && cp machine-*.json " + file("store")).code, 0);
    store_ = "export FLOPCAST_HOME=" + file("store") + "; ";
  }

  Ended run(const std::string& command) { return shell(store_ + command); }

  /// Records a command with the libraries that are tuned for by default, and checks what it printed.
  void record(const std::string& command, const std::string& prints) {
    const Ended ended =
        run("flopcast record --threads 1 --blas " + GetParam().blas + " --lapack reference --output " + file("trace") + " -- " + command);
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr(prints));
  }

  nlohmann::json document(const std::string& options) {
    const Ended ended = run("flopcast profile " + file("trace") + " --json " + options);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return nlohmann::json::parse(ended.out, nullptr, false);
  }

  fs::path folder_;
  std::string store_;
};

const nlohmann::json* find(const nlohmann::json& list, const std::string& routine) {
  for (const nlohmann::json& entry : list) {
    if (entry.at("routine") == routine) {
      return &entry;
    }
  }
  return nullptr;
}

/// Returns true if programs get eigenvalues, singular values or solutions from the routine.
bool is_driver(const std::string& routine) {
  static const std::set<std::string> all = {"gesv", "posv", "gesdd", "gesvd", "syev", "syevd", "syevr", "geev", "gels", "gelsd", "gelsy"};
  return all.count(routine.substr(1)) > 0;
}

TEST_P(ProfiledPrograms, ClientsAreRecordedPredictedAndRunTuned) {
  const Client& client = GetParam();
  if (shell(client.requires_command).code != 0) {
    GTEST_SKIP() << client.name << " is not installed";
  }
  record(client.command, client.prints);

  const nlohmann::json profile =
      document("--what-if same --what-if blas=" + std::string(client.blas == "reference" ? "openblas-serial" : "reference") +
               " --what-if nb --time-budget 6s");
  const nlohmann::json* shape = find(profile.at("shapes"), client.routine);
  ASSERT_NE(shape, nullptr) << profile.dump(2);
  EXPECT_EQ(shape->at("sizes").at("n"), nlohmann::json({200, 200}));
  for (const nlohmann::json& routine : profile.at("routines")) {
    EXPECT_TRUE(routine.at("described").get<bool>() || !is_driver(routine.at("routine"))) << routine;
  }
  EXPECT_EQ(profile.at("recorded").at("lapack"), "reference");
  ASSERT_EQ(profile.at("what_if").size(), 3U);
  for (const nlohmann::json& answer : profile.at("what_if")) {
    EXPECT_GT(answer.at("predicted_seconds").get<double>(), 0) << answer;
    EXPECT_GT(answer.at("models_seconds").get<double>(), 0) << answer;
    EXPECT_LE(answer.at("interval")[0].get<double>(), answer.at("interval")[1].get<double>());
    EXPECT_EQ(answer.at("shape_seconds").size(), profile.at("shapes").size());
  }
  EXPECT_GE(profile.at("what_if")[2].at("blocks").size() + profile.at("what_if")[2].at("untuned_shapes").get<std::size_t>(), 1U);

  const std::string tuned = file("tuned.json");
  ASSERT_EQ(shell("flopcast tune " + client.queries + " --n 200 --nb 21,22 --fixed-crossover --time-budget 2s --blas " + client.blas +
                  " --tuning " + tuned)
                .code,
            0);
  const Ended ended = shell("flopcast run --tuning " + tuned + " --blas " + client.blas + " --lapack reference --json --output " +
                            file("report") + " -- " + client.command);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(client.prints));
  const nlohmann::json report = nlohmann::json::parse(contents(file("report")));
  const nlohmann::json* use = find(report.at("routines"), client.queries);
  ASSERT_NE(use, nullptr) << report.dump(2);
  EXPECT_GE(use->at("queries").get<int>(), 1);
  EXPECT_EQ(use->at("largest"), 200);
}

INSTANTIATE_TEST_SUITE_P(Clients, ProfiledPrograms, ::testing::ValuesIn(clients), [](const auto& suite) { return suite.param.name; });

/// Tests of the command with one small program.
class ProfileCommands : public ProfiledPrograms {};

#ifdef FLOPCAST_EXAMPLE_QR
TEST_P(ProfileCommands, ShowsTables) {
  record(GetParam().command, "");
  const Ended ended = shell("flopcast profile " + file("trace"));

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("By routine:"), HasSubstr("By shape:"), HasSubstr("| dgeqrf"), HasSubstr("n=200"), HasSubstr("of peak")));
  EXPECT_THAT(ended.out, AllOf(HasSubstr("peak: "), HasSubstr("the best dgemm of openblas"), Not(HasSubstr("By thread"))));
  EXPECT_THAT(shell("flopcast profile --no-peak --by shape --csv " + file("trace")).out,
              AllOf(::testing::ContainsRegex("routine,flags,[a-z,]*m,n,[a-z,]*calls,seconds"),
                    ::testing::ContainsRegex("dgeqrf,,[,]*200,200,[,]*1,")));
  EXPECT_THAT(shell("flopcast profile --no-peak --by thread " + file("trace")).out, HasSubstr("most in"));
  EXPECT_THAT(shell("flopcast profile --no-peak --by process " + file("trace")).out, HasSubstr("example_qr"));
  EXPECT_THAT(shell("flopcast profile --no-peak --by shape --top 1 " + file("trace")).out, HasSubstr("other shapes"));
}

TEST_P(ProfileCommands, WritesAPage) {
  record(GetParam().command, "");
  const Ended ended = shell("flopcast profile --no-peak --page " + file("page.html") + " " + file("trace"));

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(contents(file("page.html")),
              AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("<svg"), HasSubstr("dgeqrf"), HasSubstr("</html>")));
  EXPECT_THAT(contents(file("page.html")), AllOf(HasSubstr("<dt>Recorded</dt><dd>20"), HasSubstr("<dt>CPU</dt>"),
                                                 HasSubstr("openblas-serial"), HasSubstr(", flopcast ")));
  EXPECT_EQ(shell("flopcast profile --no-peak --page /no/such/folder/x.html " + file("trace")).code, 4);
}

/// Returns the program's host, user, folders and arguments that `text` holds.
std::vector<std::string> found_in(const std::string& text, const std::vector<std::string>& secrets) {
  std::vector<std::string> found;
  for (const std::string& secret : secrets) {
    if (text.find(secret) != std::string::npos) {
      found.push_back(secret);
    }
  }
  return found;
}

TEST_P(ProfileCommands, AnonymousResultsHoldNoFoldersUserHostOrArguments) {
  const std::string home = file("home-of-ada"), folder = home + "/secret-work";
  const Ended copied = shell("mkdir -p " + folder + " && cp " FLOPCAST_EXAMPLE_QR " " + folder + "/qr && hostname && whoami");
  ASSERT_EQ(copied.code, 0) << copied.err;
  const std::size_t line = copied.out.find('\n');
  const std::string host = copied.out.substr(0, line), user = copied.out.substr(line + 1, copied.out.find('\n', line + 1) - line - 1);
  const std::string argument = "0000000211";  // no other number has these digits
  const std::vector<std::string> secrets = {host, "/" + user, home, "home-of-ada", "secret-work", argument, "do-not-tell"};
  const auto record_in_folder = [&](const std::string& options) {
    const Ended ended = shell("cd " + folder + " && HOME=" + home + " OMP_NUM_THREADS=do-not-tell flopcast record --json " + options +
                              " --blas openblas-serial --lapack reference --output " + file("trace") + " -- " + folder + "/qr " + argument);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.err;  // standard output is the program's
  };
  record_in_folder("");
  EXPECT_THAT(found_in(contents(file("trace")), secrets), ::testing::SizeIs(::testing::Ge(5U))) << "the test must be able to fail";

  const std::string document = record_in_folder("--anonymous");
  EXPECT_THAT(found_in(contents(file("trace")), secrets), IsEmpty());
  EXPECT_EQ(contents(file("trace")).find("/usr/"), std::string::npos);
  const Ended profiled = shell("flopcast profile --no-peak --json --anonymous --page " + file("page.html") + " " + file("trace"));
  EXPECT_EQ(profiled.code, 0) << profiled.err;
  for (const std::string& text : {document, profiled.out, contents(file("page.html"))}) {
    EXPECT_THAT(text, HasSubstr("dgeqrf"));
    EXPECT_THAT(found_in(text, secrets), IsEmpty());
  }
  EXPECT_THAT(contents(file("page.html")), HasSubstr("BLAS and LAPACK time of qr go?"));
  EXPECT_EQ(nlohmann::json::parse(profiled.out).at("recorded").at("blas"), "openblas-serial") << "the library is known all the same";

  record_in_folder("");
  const Ended later = shell("flopcast profile --no-peak --json --anonymous --page " + file("page.html") + " " + file("trace"));
  EXPECT_THAT(found_in(later.out + contents(file("page.html")), secrets), IsEmpty()) << "the recording has them";
}

TEST_P(ProfileCommands, ShowsWhatIsLeftOfACutRecording) {
  record(GetParam().command, "");
  std::string bytes = contents(file("trace"));
  for (std::size_t at = 0; at + 4 < bytes.size(); at += 4096) {  // a library's path: its sum is wrong now
    if (bytes.compare(at, 4, "CHNK") == 0 && bytes.compare(at + 64, 1, "/") == 0) {
      bytes[at + 65] = '#';
    }
  }
  std::ofstream(file("damaged"), std::ios::binary) << bytes;

  const Ended damaged = shell("flopcast profile --no-peak " + file("damaged"));
  EXPECT_EQ(damaged.code, 0) << damaged.err;
  EXPECT_THAT(damaged.err, HasSubstr("can't be read"));
  EXPECT_THAT(damaged.out, HasSubstr("| dgeqrf"));
  EXPECT_EQ(shell("flopcast profile --what-if same " + file("damaged")).code, 3);  // which BLAS it was is lost

  std::ofstream(file("cut"), std::ios::binary) << bytes.substr(0, 4000);
  const Ended cut = shell("flopcast profile " + file("cut"));
  EXPECT_EQ(cut.code, 3);
  EXPECT_THAT(cut.err, HasSubstr("is cut off after 4000 bytes"));
}

/// Sum of a member over the threads that predict --trace tells of.
double sum(const nlohmann::json& document, const std::string& member) {
  double all = 0;
  for (const nlohmann::json& prediction : document.at("predictions")) {
    all += prediction.at(member).get<double>();
  }
  return all;
}

TEST_P(ProfileCommands, PredictGivesTheSameAnswer) {
  use_own_store();
  record(GetParam().command, "");
  ASSERT_EQ(run("flopcast profile --no-peak --quiet --what-if blas=reference --time-budget 2s " + file("trace")).code, 0);
  const std::string question = "--no-peak --quiet --what-if blas=reference --time-budget 0s";
  document(question);  // the first three processes measure the library's peak, which the models relate times to
  document(question);
  const nlohmann::json answer = document(question).at("what_if").at(0);
  const std::string predict = "flopcast predict --json --quiet --time-budget 0s --trace " + file("trace");

  const Ended other = run(predict + " --blas reference");
  ASSERT_EQ(other.code, 0) << other.err;
  const nlohmann::json predicted = nlohmann::json::parse(other.out);
  EXPECT_NEAR(sum(predicted, "seconds"), answer.at("predicted_seconds").get<double>(), 1e-9);
  EXPECT_NEAR(sum(predicted, "models_seconds"), answer.at("models_seconds").get<double>(), 1e-9);
  EXPECT_EQ(predicted.at("environment"), answer.at("environment"));

  const Ended same = run(predict);  // what was recorded is the default, and nothing changes there
  ASSERT_EQ(same.code, 0) << same.err;
  const nlohmann::json there = nlohmann::json::parse(same.out);
  EXPECT_EQ(there.at("environment").at("blas").at("name"), "openblas");
  EXPECT_EQ(there.at("environment").at("threads"), 1);
  EXPECT_NEAR(sum(there, "seconds"), sum(there, "measured_seconds"), 1e-9);
}

TEST_P(ProfileCommands, WithoutAnyAnswerTheTablesAreThereAndTheExitCodeSaysSo) {
  ASSERT_EQ(
      shell("flopcast record --quiet --threads 2 --blas openblas-pthread --output " + file("trace") + " -- " + GetParam().command).code, 0);
  const Ended ended =
      shell("flopcast profile --no-peak --what-if blas=reference,threads=2 --page " + file("page.html") + " " + file("trace"));
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("By routine:"), HasSubstr("not answered: "), HasSubstr("Ask blas=reference,threads=1")));
  EXPECT_THAT(contents(file("page.html")), HasSubstr("Ask blas=reference,threads=1"));
}

TEST_P(ProfileCommands, TheThreadsThatTheProgramReallyHadCount) {
  const std::string record =
      " flopcast record --quiet --blas openblas-pthread --lapack reference --output " + file("trace") + " -- " + GetParam().command;
  ASSERT_EQ(shell("OPENBLAS_NUM_THREADS=1" + record).code, 0);
  EXPECT_EQ(document("--no-peak").at("recorded").at("threads"), 1);
  const Ended ended = shell("flopcast profile --no-peak --what-if blas=reference --time-budget 1s " + file("trace"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, Not(HasSubstr("are assumed")));
}

#if defined(__x86_64__)
TEST_P(ProfileCommands, SaysWhereBetterKernelsWouldHaveComputed) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    GTEST_SKIP() << "no better kernels than Prescott's for this CPU";
  }
  const Ended recorded =
      shell("OPENBLAS_CORETYPE=Prescott flopcast record --threads 1 --blas openblas-serial --lapack reference --output " + file("trace") +
            " -- " + GetParam().command);
  EXPECT_THAT(recorded.err, HasSubstr("computed with 'Prescott' kernels"));
  const nlohmann::json profile = document("--what-if same --what-if kernels=auto --time-budget 2s --page " + file("page.html"));
  EXPECT_EQ(profile.at("recorded").at("kernels"), "Prescott");
  EXPECT_THAT(profile.at("warnings").dump(), HasSubstr("--what-if kernels=auto"));
  EXPECT_THAT(profile.at("peak").at("what").get<std::string>(), Not(HasSubstr("Prescott")));
  EXPECT_EQ(profile.at("what_if")[0].at("environment").at("blas").at("kernels"), "Prescott");
  EXPECT_NE(profile.at("what_if")[1].at("environment").at("blas").at("kernels"), "Prescott");
  EXPECT_THAT(contents(file("page.html")), HasSubstr("computed with &#39;Prescott&#39; kernels"));
}
#endif

/// It was made for blocks of 32 columns, whatever a profile says.
TEST_P(ProfileCommands, AShortWorkspaceAllowsNoLargerBlocks) {
  ASSERT_EQ(shell("flopcast record --quiet --threads 1 --blas openblas-serial --lapack reference --output " + file("trace") +
                  " -- " FLOPCAST_WORKSPACES)
                .code,
            0);
  const nlohmann::json blocks = document("--no-peak --what-if nb --time-budget 2s").at("what_if").at(0).at("blocks");
  const nlohmann::json* qr = find(blocks, "dgeqrf");
  ASSERT_NE(qr, nullptr) << blocks;
  EXPECT_EQ(qr->at("workspace_allows"), 32);
  EXPECT_LE(qr->at("chosen_nb").get<int>(), 32);
}

TEST_P(ProfileCommands, ADryRunIsPredicted) {
  const Ended recorded = shell("flopcast record --skip-kernels --quiet --threads 1 --blas openblas-serial --output " + file("trace") +
                               " -- " + GetParam().command);
  ASSERT_THAT(recorded.code, ::testing::AnyOf(0, 1)) << recorded.err;
  const Ended ended = shell("flopcast profile " + file("trace") + " --what-if same --time-budget 1s");

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("this is a dry run"));
  EXPECT_THAT(ended.out, AllOf(HasSubstr("skipped"), HasSubstr("What if:")));
}

INSTANTIATE_TEST_SUITE_P(Fortran, ProfileCommands,
                         ::testing::Values(Client{"qr", "true", FLOPCAST_EXAMPLE_QR " 200", "residual", "dgeqrf"}),
                         [](const auto& suite) { return suite.param.name; });
#endif
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ProfileCommands);

TEST(ProfileOfNothing, SaysSo) {
  const Ended ended = shell("flopcast record --quiet --output nothing.trace -- true; flopcast profile nothing.trace; rm nothing.trace");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("no BLAS or LAPACK call was seen"));
}

}  // namespace
}  // namespace flopcast::testing
