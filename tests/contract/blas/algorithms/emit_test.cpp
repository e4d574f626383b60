#include "flopcast/contract/algorithms/algorithm.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "flopcast/machine/libraries/installed_libraries.hpp"

namespace flopcast::contract {
namespace {

/// Returns a program that runs each emitted function on its own data and compares the result with loops that are written below as text.
std::string program(const Contraction& contraction, const std::vector<Algorithm>& algorithms, Language language) {
  const bool cpp = language == Language::cpp;
  std::string type = contraction.precision == Precision::d ? "double" : "float";
  if (is_complex(contraction.precision)) {
    type = cpp ? "std::complex<double>" : "double complex";
  }
  const std::string sizes = contraction.tensor(Operand::c).indices + contraction.indices(IndexRole::contracted);
  std::string text = emit(algorithms, contraction, language) + "\n#include <stdio.h>\n#include <math.h>\n\nint main(void)\n{\n";
  std::string arguments, loops;
  for (const char index : sizes) {
    arguments += fmt::format("{}, ", contraction.extent(index));
    loops += fmt::format("for (long {0}_ = 0; {0}_ < {1}; ++{0}_) ", index, contraction.extent(index));
  }
  const auto element = [&](Operand operand, const char* name) {
    std::string at = "0";
    for (const char index : contraction.tensor(operand).indices) {
      at += fmt::format(" + {}_ * {}", index, contraction.tensor(operand).stride(index));
    }
    return fmt::format("{}[{}]", name, at);
  };
  for (const Operand operand : all_operands) {
    text += fmt::format("  static {} {}[{}];\n", type, letter(operand), contraction.elements(operand));
  }
  text += fmt::format("  static {} R[{}];\n  int wrong = 0;\n", type, contraction.elements(Operand::c));
  text += fmt::format("  for (long x = 0; x < {}; ++x) A[x] = ({})((x * 7 % 11) - 5);\n", contraction.elements(Operand::a),
                      is_complex(contraction.precision) ? "double" : type);
  text += fmt::format("  for (long x = 0; x < {}; ++x) B[x] = ({})((x * 5 % 13) - 6);\n", contraction.elements(Operand::b),
                      is_complex(contraction.precision) ? "double" : type);
  text += fmt::format("  {}{} += {} * {};\n", loops, element(Operand::c, "R"), element(Operand::a, "A"), element(Operand::b, "B"));
  for (const Algorithm& algorithm : algorithms) {
    text += fmt::format("  for (long x = 0; x < {}; ++x) C[x] = 99;\n", contraction.elements(Operand::c));
    text += fmt::format("  if ({}({}A, B, C) != 0) ++wrong;\n", function_name(algorithm), arguments);
    text += fmt::format("  for (long x = 0; x < {}; ++x) if (C[x] != R[x]) {{ printf(\"{} is wrong\\n\"); ++wrong; break; }}\n",
                        contraction.elements(Operand::c), algorithm.name());
  }
  return text + fmt::format("  printf(\"{} functions, %d wrong\\n\", wrong);\n  return wrong != 0;\n}}\n", algorithms.size());
}

class EmittedPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "flopcast_emit_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void expect_right(const Contraction& contraction, Language language) {
    const bool cpp = language == Language::cpp;
    const std::filesystem::path source = folder_ / (cpp ? "emitted.cpp" : "emitted.c");
    std::ofstream(source) << program(contraction, generate(contraction), language);
    const std::string library = machine::locate("reference", machine::Role::blas).string();
    const std::string compile =
        fmt::format("{} -std={} -O0 -Wall -Wextra -Werror -o {}/emitted {} '{}' -lm 2>&1",
                    cpp ? FLOPCAST_CXX_COMPILER : FLOPCAST_C_COMPILER, cpp ? "c++17" : "c99", folder_.string(), source.string(), library);
    ASSERT_EQ(std::system(compile.c_str()), 0) << compile;
    const std::string run = fmt::format("LD_LIBRARY_PATH={} {}/emitted >{}/out", std::filesystem::path(library).parent_path().string(),
                                        folder_.string(), folder_.string());
    const int status = std::system(run.c_str());
    std::ifstream out(folder_ / "out");
    const std::string printed{std::istreambuf_iterator<char>(out), std::istreambuf_iterator<char>()};
    EXPECT_EQ(status, 0) << printed;
    EXPECT_THAT(printed, ::testing::HasSubstr("functions, 0 wrong"));
  }

  std::filesystem::path folder_;
};

const Extents extents{{'a', 5}, {'b', 4}, {'c', 3}, {'i', 6}, {'j', 7}, {'n', 2}};

TEST_F(EmittedPrograms, CompilesAndIsRightInC) {
  for (const char* text : {"abc=ai,ibc", "a=iaj,ji", "nab=nai,nib", "=i,i"}) {
    expect_right(make_contraction(parse_notation(text), extents), Language::c);
  }
}

TEST_F(EmittedPrograms, CompilesAndIsRightInCpp) { expect_right(make_contraction(parse_notation("abc=ija,jbic"), extents), Language::cpp); }

TEST_F(EmittedPrograms, CompilesAndIsRightInOtherOrdersAndPrecisions) {
  expect_right(make_contraction(parse_notation("abc=ai,ibc"), extents, Precision::z), Language::c);
  expect_right(make_contraction(parse_notation("ab=a,b"), extents, Precision::z), Language::cpp);
  expect_right(make_contraction(parse_notation("a=iaj,ji"), extents, Precision::s, Order::row_major), Language::c);
}

TEST_F(EmittedPrograms, CompilesAndIsRightWithIndicesInCapitals) {
  const Extents capitals{{'A', 5}, {'B', 4}, {'C', 3}, {'I', 6}, {'a', 2}};
  expect_right(make_contraction(parse_notation("ABC=AI,IBC"), capitals, Precision::z), Language::c);
  expect_right(make_contraction(parse_notation("aA=aI,IA"), capitals), Language::cpp);
}

TEST(Emit, ReadsLikeThePaper) {
  const Contraction contraction = make_contraction(parse_notation("abc=ija,jbic"), extents);
  const std::vector<Algorithm> chosen = {find_algorithm("i'c-gemm", generate(contraction))};
  EXPECT_EQ(emit(chosen, contraction, Language::c), R"(#include <cblas.h>
#include <stddef.h>
#include <stdlib.h>

/* i'c-gemm: abc=ija,jbic */
int contract_ic_gemm(size_t n_a, size_t n_b, size_t n_c, size_t n_i, size_t n_j, const double *A, const double *B, double *C)
{
    double *A_copy = malloc(n_j * n_a * sizeof *A_copy);
    if (n_j * n_a > 0 && A_copy == NULL) {
        free(A_copy);
        return 1;
    }
    for (size_t c = 0; c < n_c; ++c) {
        for (size_t b = 0; b < n_b; ++b) {
            for (size_t a = 0; a < n_a; ++a) {
                C[a + b * n_a + c * n_a * n_b] = 0;
            }
        }
    }
    for (size_t i = 0; i < n_i; ++i) {
        for (size_t a = 0; a < n_a; ++a) {
            cblas_dcopy((int)n_j, &A[i + a * n_i * n_j], (int)n_i, &A_copy[a * n_j], 1);
        }
        for (size_t c = 0; c < n_c; ++c) {
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n_a, (int)n_b, (int)n_j, 1, A_copy, (int)n_j, &B[i * n_j * n_b + c * n_j * n_b * n_i], (int)n_j, 1, &C[c * n_a * n_b], (int)n_a);
        }
    }
    free(A_copy);
    return 0;
}
)");
}

}  // namespace
}  // namespace flopcast::contract
