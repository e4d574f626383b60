#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

class ContractBesideNumPy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shell("/usr/bin/python3 -c 'import numpy'").code != 0) {
      GTEST_SKIP() << "NumPy isn't installed";
    }
  }

  /// Runs a script of Python in a folder of its own, whose files are listed in the end. In the script, contract(spec, arrays, tolerance)
  /// ends it unless the result agrees with NumPy's, and returns flopcast's document.
  static Ended run(const std::string& script) {
    return shell(R"(
d=$(mktemp -d) && trap 'rm -rf "$d"' EXIT && cd "$d" && cat >make.py <<'END'
import json, numpy, subprocess, sys
def contract(spec, arrays, tolerance, *options):
    command = ["flopcast", "contract", spec, "--out", "c.npy", "--json", "--effort", "estimate", *options]
    for i, array in enumerate(arrays):
        numpy.save(f"{i}.npy", array)
        command += ["--in", f"{i}.npy"]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    c, expected = numpy.load("c.npy"), numpy.einsum(spec, *arrays)
    if c.shape != expected.shape or c.dtype != expected.dtype or not numpy.allclose(c, expected, rtol=tolerance, atol=tolerance):
        sys.exit(f"{spec} {expected.dtype} differs: {[array.flags.c_contiguous for array in arrays]}")
    return json.loads(ran.stdout)
)" + script + R"(
END
/usr/bin/python3 make.py; code=$?; ls; exit $code
)");
  }
};

TEST(ContractFiles, NeedNoFolderForChoices) {
  const Ended ended = shell(
      "d=$(mktemp -d) && trap 'rm -rf \"$d\"' EXIT && mkdir $d/flopcast && cp $FLOPCAST_HOME/machine-*.json $d/flopcast && "
      "XDG_CACHE_HOME=$d FLOPCAST_HOME= XDG_DATA_HOME='/proc/no such folder' flopcast contract ij,jk-\\>ik i=j=k=40 --run --threads 2 "
      "--time-budget 1s");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, ::testing::HasSubstr("are kept in this process only: can't make the directory /proc/no such folder/flopcast"));
}

TEST_F(ContractBesideNumPy, AgreesWithNumPysEinsum) {
  const Ended ended = run(R"(random = numpy.random.default_rng(1)
cases = [("ai,ibc->abc", "float64"), ("ija,jbic->abc", "complex128"), ("iaj,ji->a", "float32"), ("nai,nib->nab", "float64"), ("a,b->ba", "complex64"), ("i,i->", "float64")]
for spec, dtype in cases:
    sizes = {x: 2 + i for i, x in enumerate(sorted(set(spec) - set(",->")))}
    a, b = (random.standard_normal([sizes[x] for x in t]).astype(dtype) for t in spec.split("->")[0].split(","))
    for order in "CF":
        if len(contract(spec, [numpy.asarray(a, order=order), b], 1e-5)["times"]) != 1:
            sys.exit(f"{spec} isn't reported")
numpy.save("v.npy", numpy.ones(4))
before = open("v.npy", "rb").read()
if subprocess.run(["flopcast", "contract", "i,i->", "--in", "v.npy", "--in", "v.npy", "--out", "./v.npy"]).returncode != 3 or open("v.npy", "rb").read() != before:
    sys.exit("an operand was taken for the result")
numpy.save("i.npy", numpy.arange(4))
sys.exit(subprocess.run(["flopcast", "contract", "i,i->", "--in", "i.npy", "--in", "i.npy", "--out", "never.npy"]).returncode))");
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, ::testing::HasSubstr("i.npy: elements of type <i8"));
  EXPECT_THAT(ended.out, ::testing::Not(::testing::HasSubstr("never.npy")));
}

TEST(ContractFiles, EmptyTensorsAreContracted) {
  for (const char* size : {"a=0", "i=0"}) {
    const std::string other = size[0] == 'a' ? "i" : "a";
    const Ended ended = shell(std::string("flopcast contract 'ai,ib->ab' b=3 ") + other + "=4 " + size + " --run --json");
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, ::testing::HasSubstr("flopcast-contraction-1"));
  }
}

TEST_F(ContractBesideNumPy, AgreesWithNumPysWholeNotation) {
  const Ended ended = run(R"(random = numpy.random.default_rng(2)
cases = [("ij->ji", [(40, 30)]), ("iij->j", [(5, 5, 3)]), ("...i,...i->...", [(4, 1, 3), (5, 3)]), ("b...i,...i", [(2, 3, 4), (4,)]), ("ijx,jk", [(3, 1, 2), (4, 5)]),
         ("i,j->", [(3,), (4,)]), ("ii", [(7, 7)]), ("ij,jkx->ik", [(20, 30), (30, 20, 2)]), ("ij->", [(0, 3)]), (",iji->j", [(), (2, 3, 2)])]
for spec, shapes in cases:
    for dtype in "float32", "float64", "complex64", "complex128":
        arrays = [numpy.asarray(random.standard_normal(shape)).astype(dtype) for shape in shapes]
        if contract(spec, arrays, 1e-4)["schema"] != "flopcast-contraction-1":
            sys.exit(f"{spec} isn't reported"))");
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(ContractBesideNumPy, AgreesWithNumPyOnManyOperands) {
  const Ended ended = run(R"(random = numpy.random.default_rng(3)
cases = ["ab,bc,cd->ad", "aij,bj,ci->abc", "ab,cb,cd,ed,ef->af", "abc,ade,bdf,cef->", "...i,ij,jk,k->...", "ij,i,j,ij->ij", "aab,bc,c,d->d"]
for spec in cases:
    for dtype in "float32", "float64", "complex64", "complex128":
        sizes = {x: 3 + i for i, x in enumerate(sorted(set(spec) - set(",->.")))}
        shapes = [[2, 3] * ("..." in term) + [sizes[x] for x in term if x != "."] for term in spec.split("->")[0].split(",")]
        arrays = [numpy.asarray(random.standard_normal(shape)).astype(dtype) for shape in shapes]
        if len(contract(spec, arrays, 1e-3, "--max-bytes", "4KiB")["steps"]) < len(arrays) - 1:
            sys.exit(f"{spec} isn't reported"))");
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST(ContractExplain, ShowsTheStepsOfATreeWithoutExecutingIt) {
  const std::string command = "flopcast contract 'ab,bc,cd->ad' a=2000 b=3000000 c=20 d=400 ";
  const Ended text = shell(command);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, ::testing::AllOf(::testing::HasSubstr("operand1[ab]"), ::testing::HasSubstr("operand2[bc]")));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("all +\\| +\\| +2.4e\\+11"));
  EXPECT_THAT(text.err, ::testing::HasSubstr("the intermediates take"));
  EXPECT_EQ(shell(command + "--plan --csv").out.substr(0, 53), "step,executions,flops,moved_bytes,predicted_seconds\r\n");
  EXPECT_THAT(shell(command + "--csv").out, ::testing::Not(::testing::HasSubstr("all")));
  const Ended pair = shell("flopcast contract 'ijx,jk->ik' i=j=k=40 x=3 --plan");
  EXPECT_THAT(pair.out, ::testing::HasSubstr("output[ik] := operand1[ijx] operand2[jk]"));
  EXPECT_THAT(pair.err, ::testing::HasSubstr("summed over the labels that it alone has"));
}

TEST(ContractRun, ShowsTheStepsOfATreeBesideItsTime) {
  const std::string command = "flopcast contract 'ab,bc,cd->ad' a=b=c=d=20 --run --effort estimate ";
  const Ended ended = shell(command + "--strides 1=1,20 --strides result=40,2");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, ::testing::AllOf(::testing::HasSubstr("predicted"), ::testing::HasSubstr("takes")));
  EXPECT_THAT(shell(command + "--csv").out, ::testing::StartsWith("contraction,planning_seconds,"));
}

TEST(ContractEmit, IsTheSameCodeForIndicesOfSizeOne) {
  for (const char* order : {"row_major", "column_major"}) {
    const auto emitted = [&](const std::string& sizes) {
      return shell("flopcast contract abc=ija,jbic a=b=c=i=j=" + sizes + " --emit c --order " + order).out;
    };
    EXPECT_THAT(emitted("5"), ::testing::HasSubstr("cblas_dgemm"));
    EXPECT_EQ(emitted("1"), emitted("5")) << order;
  }
}

TEST(ContractRun, SaysThatOpenBlasHasNoRoomForItsBuffers) {
  if (shell("flopcast contract ab=ai,ib a=b=i=8 --run --effort estimate --blas openblas-serial").code != 0) {
    GTEST_SKIP() << "openblas-serial isn't installed";
  }
  const Ended ended = shell("ulimit -v 200000; flopcast contract ab=ai,ib a=b=i=8 --run --effort estimate --blas openblas-serial");
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, ::testing::HasSubstr("ulimit -v"));
}

/// OpenBLAS would wait for ever where tensors leave no room for its buffer.
TEST(ContractRun, EndsHoweverLittleMemoryThereIs) {
  if (shell("flopcast contract ab=ai,ib a=b=i=8 --run --effort estimate --blas openblas-serial").code != 0) {
    GTEST_SKIP() << "openblas-serial isn't installed";
  }
  int tried = 0;
  int succeeded = 0;
  for (int megabytes = 200; megabytes <= 600; megabytes += 25) {  // A takes 140 MB, and as much to be packed
    const Ended ended = shell("ulimit -v " + std::to_string(1000 * megabytes) +
                              "; timeout 60 flopcast contract abc=bda,dc a=b=d=260 c=24 --run --tiles whole --blas openblas-serial");
    EXPECT_THAT(ended.code, ::testing::AnyOf(0, 4)) << megabytes << "\n" << ended.err;
    ++tried;
    succeeded += ended.code == 0 ? 1 : 0;
  }
  EXPECT_GT(succeeded, 0);
  EXPECT_LT(succeeded, tried);
}

}  // namespace
}  // namespace flopcast::testing
