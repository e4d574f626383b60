#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::HasSubstr;

/// A command line that is wrong: what it returns and says on standard error. Standard output stays empty.
struct Mistake {
  std::vector<std::string> arguments;
  int code;
  std::string says;

  friend std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) {
    return stream << "flopcast " << ::testing::PrintToString(mistake.arguments);
  }
};

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamed) {
  const Mistake& mistake = GetParam();
  const Ended ended = flopcast(mistake.arguments);
  EXPECT_EQ(ended.code, mistake.code) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("flopcast: "));
  EXPECT_THAT(ended.err, HasSubstr(mistake.says));
}

INSTANTIATE_TEST_SUITE_P(
    Usage, Mistakes,
    ::testing::Values(
        Mistake{{}, 2, "no command given, expected one of machine, roofline, "},
        Mistake{{"mashine"}, 2, "unknown command 'mashine'; did you mean 'machine'?"}, Mistake{{"xyzzy"}, 2, "unknown command 'xyzzy'\n"},
        Mistake{{"model", "lst"}, 2, "unknown command 'lst'; did you mean 'list'?"},
        Mistake{{"--versoin"}, 2, "unknown option '--versoin'; did you mean '--version'?"},
        Mistake{{"machine", "--jsn"}, 2, "unknown option '--jsn'; did you mean '--json'?"},
        Mistake{{"machine", "--color", "blue"}, 2, "--color: 'blue' given, expected one of auto, always, never"},
        Mistake{{"machine", "--json", "--csv"}, 2, "--json and --csv exclude one another"},
        Mistake{{"machine", "--output"}, 2, "--output has no value, expected FILE"},
        Mistake{{"machine", "--color"}, 2, "--color has no value, expected one of auto, always, never"},
        Mistake{{"machine", "-x"}, 2, "unknown option '-x'"},
        Mistake{{"machine", "lscpu"}, 2, "unexpected argument 'lscpu'; usage: flopcast machine [OPTIONS]\n"},
        Mistake{{"tune"}, 2, "no routine given; usage: flopcast tune [OPTIONS] routine [arguments...]"},
        Mistake{{"tune", "dgeqrf", "--repetitions", "few"}, 2, "--repetitions: 'few' given, expected a whole number from 1 to 1000"},
        Mistake{{"tune", "dgeqrf", "--repetitions"}, 2, "--repetitions has no value, expected a whole number from 1 to 1000"},
        Mistake{{"model", "build", "dscal", "--degree", "high"}, 2, "--degree: 'high' given, expected a whole number"},
        Mistake{{"wisdom"}, 2, "no command given, expected one of list, check, export, import, merge, forget, prune"},
        Mistake{{"mpi", "simulate", "--", "true"}, 2, "no --ranks given, expected LIST; usage: flopcast mpi simulate"},
        Mistake{{"machine", "--output", "/no/such/directory/file"}, 4, "No such file or directory"}));

INSTANTIATE_TEST_SUITE_P(
    Routines, Mistakes,
    ::testing::Values(
        Mistake{{"sample", "dgemn", "m=1"}, 3, "unknown routine 'dgemn'; did you mean dgemm"},
        Mistake{{"sample", "dgemm", "m=64"}, 3, "dgemm needs a value of 'n'"},
        Mistake{{"sample", "dgemm", "m=-1", "n=1", "k=1"}, 3, "m of dgemm: -1 is out of range"},
        Mistake{{"sample", "dgemm", "m=9999999999", "n=1", "k=1"}, 3, "9999999999 is out of range"},
        Mistake{{"sample", "dgemm", "m=64", "n=64", "k=64", "lda=3"}, 3, "lda of dgemm: 3 is out of range"},
        Mistake{{"sample", "dgemm", "m=8", "n=8", "k=8", "--cache", "lukewarm"}, 3, "'lukewarm' is not one of warm, cold"},
        Mistake{{"trace", "dgeqrf", "n=x"}, 3, "'x' is not an integer"},
        Mistake{{"trace", "dgeqrf", "n=100", "--output", "/dev/full"}, 4, "No space left on device"},
        Mistake{{"predict", "dgeqrf", "n=0", "nb=32"}, 3, "0 is out of range"},
        Mistake{{"run", "--threads", "0", "--", "true"}, 2, "--threads: '0' given, expected a whole number from 1 to 1024, or auto"},
        Mistake{{"record", "--threads", "0", "--", "true"}, 2, "--threads: '0' given, expected a whole number from 1 to 1024"},
        Mistake{{"predict", "dgeqrf", "n=100", "n=200"}, 3, "argument 'n' is given twice"},
        Mistake{{"predict", "dgeqrf", "N=100"}, 3, "dgeqrf has no argument 'N' to set"},
        Mistake{{"tune", "dgeqrf", "n=100", "--n", "200"}, 2, "n is given twice"},
        Mistake{{"predict", "--trace", "/nonexistent"}, 3, "cannot read '/nonexistent': No such file or directory"},
        Mistake{{"tune", "dgeqfr", "--n", "200"}, 3, "unknown routine 'dgeqfr'; did you mean"},
        Mistake{{"tune", "dgeqrf", "--n", "200", "--blas", "nosuch"}, 3, "no BLAS library 'nosuch' is installed; installed: "},
        Mistake{{"tune", "dgeqrf", "--n", "200", "--time-budget", "never"}, 2, "'never' is not a duration"},
        Mistake{{"tune", "dgeqrf", "--n", "200", "--blas", "/nonexistent/libblas.so"}, 4, "/nonexistent/libblas.so can't be opened"},
        Mistake{{"tune", "dgeqrf", "--n", "200", "--blas", "/dev/null"}, 4, "/dev/null is no shared library"},
        Mistake{{"sample", "dgemm", "m=8", "n=8", "k=8", "--time-budget", "abc"}, 2, "--time-budget: 'abc' is not a duration"},
        Mistake{{"mpi", "run", "--policy", "eagre", "--", "true"}, 2, "--policy: 'eagre' given, expected one of full, "},
        Mistake{{"mpi", "run", "--clock", "moon", "--", "true"}, 2, "--clock: 'moon' given, expected one of auto, wall, cpu"},
        Mistake{{"model", "show", "nosuch"}, 3, "there is no model 'nosuch'"},
        Mistake{{"tune", "dgeqrf", "--n", "200", "--tuning", "/proc/nowhere/tuning.json"}, 4, "/proc/nowhere"},
        Mistake{{"tune", "lapack", "--tuning", "/proc/nowhere/tuning.json"}, 4, "/proc/nowhere"},
        Mistake{{"rank", "cholesky"}, 2, "no sizes given; add --n"},
        Mistake{{"rank", "cholesy", "--n", "200"}, 3, "unknown family 'cholesy'; did you mean cholesky"},
        Mistake{{"rank", "nothing-of-the-kind", "--n", "200"}, 3, "there are cholesky, trtri, lauum, lu, lu-nopivot"},
        Mistake{{"rank", "dgemm", "--n", "200"}, 3, "there is no algorithm for dgemm"},
        Mistake{{"rank", "cholesky", "--n", "0"}, 3, "--n: 0 is out of range"},
        Mistake{{"rank", "cholesky", "--n", "-5"}, 3, "--n: -5 is out of range"},
        Mistake{{"rank", "cholesky", "--n", "999999999"}, 3, "--n: 999999999 is out of range"},
        Mistake{{"rank", "cholesky", "--n", "200", "--threads", "1,x"}, 3, "--threads: 'x' is not an integer"},
        Mistake{{"rank", "cholesky", "--n", "200", "--blas", "reference", "--threads", "2,3"}, 3, "none of reference can have 2,3 threads"},
        Mistake{{"rank", "cholesky", "--n", "200", "--blas", "reference,nosuch"}, 3, "no BLAS library 'nosuch' is installed"},
        Mistake{{"rank", "cholesky", "--n", "200", "--blas", "reference,"}, 3, "has an empty name in it"},
        Mistake{{"rank", "cholesky", "--n", "200", "uplo=X"}, 3, "'X' is not a legal flag"}, Mistake{{"run"}, 2, "no program to run"},
        Mistake{{"run", "--", ""}, 2, "no program to run"}, Mistake{{"record", "--", ""}, 2, "no program to record"},
        Mistake{{"mpi", "run", "--", ""}, 2, "which program is to be run?"},
        Mistake{{"mpi", "simulate", "--ranks", "2", "--", ""}, 2, "which program is to be simulated?"},
        Mistake{{"run", "--tuning", "/nonexistent", "--", "true"}, 3, "there is no tuning file /nonexistent; make one with: flopcast tune"},
        Mistake{{"export", "ilaenv", "--output", "ilaenv.f"}, 2, "'ilaenv.f' as Fortran in fixed form"},
        Mistake{{"export", "ilaenv", "--output", "ilaenv.c"}, 2, "'ilaenv.c' isn't the name of a Fortran source"},
        Mistake{{"export", "ilaenv", "--language", "c", "--output", "ilaenv.f90"}, 2, "'ilaenv.f90' isn't the name of a C source"},
        Mistake{
            {"export", "ilaenv", "--tuning", "/nonexistent"}, 3, "there is no tuning file /nonexistent; make one with: flopcast tune"}));

INSTANTIATE_TEST_SUITE_P(
    Roofline, Mistakes,
    ::testing::Values(
        Mistake{{"predict", "dgeqrf", "n=100", "--models", "other.db"}, 2, "--models needs --trace"},
        Mistake{{"predict", "dgeqrf", "n=100", "--environment", "1f"}, 2, "no such file is given"},
        Mistake{{"roofline", "--threads", "0"}, 2, "--threads"}, Mistake{{"roofline", "--threads", "4096"}, 3, "4096 threads given"},
        Mistake{{"roofline", "--affinity", "far"}, 2, "--affinity"}, Mistake{{"roofline", "--space", "huge"}, 2, "--space"},
        Mistake{{"roofline", "--space", "full", "--m", "8"}, 2, "not both"}, Mistake{{"roofline", "--m", "8"}, 2, "--m, --n and --k"},
        Mistake{{"roofline", "--m", "1000000", "--n", "1000000", "--k", "8"}, 3, "the largest matrices of the space need"},
        Mistake{{"roofline", "--blas", "nosuch"}, 3, "no BLAS library 'nosuch' is installed"},
        Mistake{{"roofline", "--streams", "triade"}, 2, "--streams: 'triade' given"},
        Mistake{{"roofline", "--point", "dgemn m=1"}, 3, "unknown routine 'dgemn'"},
        Mistake{{"roofline", "--figure", "roofs.jpg"}, 2, "a figure's name ends in"},
        Mistake{{"roofline", "--gemm", "dgemm,dgemm"}, 2, "--gemm names 'dgemm' twice"}, Mistake{{"roofline", "--seed", "-1"}, 2, "--seed"},
        Mistake{{"rank", "dpotrf", "--seed", "18446744073709551616"}, 2, "expected a whole number from 0 to 18446744073709551615"},
        Mistake{{"compare", "a.json", "b.json", "--lst"}, 2, "unknown option '--lst'"},
        Mistake{{"compare", "a.json"}, 2, "compare needs two files, but only 'a.json' is given"},
        Mistake{{"compare", "--save-baseline", "main"}, 2, "compare needs one file to keep with --save-baseline, but no file is given"},
        Mistake{{"compare", "--save-baseline", "main", "a.json", "--noise", "0.2"}, 2, "--noise is given, which means nothing"},
        Mistake{{"compare", "--save-baseline", "../main", "a.json"}, 3, "'../main' can't name a baseline"},
        Mistake{{"tune", "dgeqrf", "--n", "100", "--figure", "nb.jpg"}, 2, "a figure's name ends in"},
        Mistake{{"rank", "cholesky", "--n", "100", "--figure", "/nonexistent/n.svg"}, 4, "/nonexistent/n.svg"},
        Mistake{{"roofline", "--replot", "/nonexistent"}, 3, "cannot read '/nonexistent'"},
        Mistake{{"roofline", "--replot", "/dev/null"}, 3, "/dev/null"}));

INSTANTIATE_TEST_SUITE_P(
    Contractions, Mistakes,
    ::testing::Values(
        Mistake{{"contract", "a=ai", "a=1"}, 3, "contraction 'ai->a' has 1 operand; it takes two"},
        Mistake{{"contract", "abc=ai,ibc", "a=b=c=100000", "i=2", "--run"}, 4, "the tensors need"},
        Mistake{{"contract", "ab=aij,ib", "a=b=i=j=2"}, 3, "index j is in A only"},
        Mistake{{"contract", "ab=aii,ib", "a=b=i=2"}, 3, "index i is repeated in A"},
        Mistake{{"contract", "ab=ai,ib", "a=b=2"}, 3, "label i of operand 1 has no size"},
        Mistake{{"contract", "C_ab := A_ai B_ib", "E_ab := D_ai B_ib", "a=b=i=2"}, 2, "several contractions go with --layouts"},
        Mistake{{"contract", "ab=ai,ib", "a=b=2", "a=i=3"}, 3, "label a is given two sizes, 2 and 3"},
        Mistake{{"contract", "ab=ai,ib", "a=b=2", "i=0"}, 3, "size of i: 0 is out of range"},
        Mistake{{"contract", "abc=ai,ibc", "a=b=c=2000000000", "i=1", "--list"}, 3, "more elements than 63 bits can address"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--emit", "c", "--algorithm", "gem"}, 3, "there is no algorithm 'gem'"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--list", "--run"}, 2, "exclude one another"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--list", "--blas", "blis"}, 2, "--blas is for what measures; --list and --emit don't"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--emit", "c", "--threads", "2"}, 2, "--threads is for what measures"},
        Mistake{
            {"contract", "ab=ai,ib", "a=b=i=2", "--blas-kernels", "gemv", "--algorithm", "gemm"}, 3, "algorithm 'gemm' isn't one of gemv"},
        Mistake{{"roofline", "--space", "full", "--list"}, 2, "unknown option '--list'"},
        Mistake{{"contract", "a=ai,i", "a=i=2", "--list", "--blas-kernels", "gemm"}, 3, "a=ai,i has no algorithm of gemm"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--tiles", "8x8x8"}, 2, "--tiles is for --run and --in"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--tiles", "8x8"}, 3, "--tiles '8x8' is neither whole nor batch nor tiles"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--tiles", "8x8x8:panels:B"}, 3, "--tiles '8x8x8:panels:B' is neither"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--tiles", "8x8x8:panels:A:A"}, 3, "--tiles '8x8x8:panels:A:A' is neither"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--tiles", "8x8x8:gemm:nkn"}, 3, "--tiles '8x8x8:gemm:nkn' is neither"},
        Mistake{
            {"contract", "ab=ai,ib", "a=b=i=2", "--run", "--tiles", "8x8x8:gemm:nmk:mnk"}, 3, "--tiles '8x8x8:gemm:nmk:mnk' is neither"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--tiles", "8x8x8:gemm:keep"}, 3, "--tiles '8x8x8:gemm:keep' is neither"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--tiles", "8x8x8:gemm:keepCA"}, 3, "--tiles '8x8x8:gemm:keepCA' is neither"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--tiles", "8x8x8:panels:A"}, 3, "has no other order of its rows"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--strides", "D=1,2"}, 3, "'D' is no tensor; expected A, B, C, 1, 2 or result"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--strides", "A=1,2", "--strides", "A=1,4"}, 3, "strides of A are given twice"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--emit", "c", "--json"}, 2, "--emit writes source code; leave --json out"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--strides", "C=1,1", "--list"}, 3, "let elements share addresses"},
        Mistake{{"contract", "ab=ai,ib", "--in", "/dev/null"}, 2, "takes --in A.npy --in B.npy --out C.npy"},
        Mistake{{"contract", "ab=ai,ib", "--in", "/dev/null", "--in", "/dev/null", "--out", "/tmp/c.npy"}, 3, "is no .npy file"},
        Mistake{
            {"contract", "ab=ai,ib", "--in", "a", "--in", "b", "--out", "c", "--order", "column_major"}, 2, "--order doesn't go with --in"},
        Mistake{{"contract", "ab=ai,ib", "--in", "a", "--in", "b", "--out", "c", "--list"}, 2, "take no files"},
        Mistake{{"contract", "ab=ai,ib", "--in", "a", "--in", "b", "--out", "c", "--output", "c"}, 2, "--out and --output both write to c"},
        Mistake{{"contract", "ab=ai,ib", "--in", "a", "--in", "b", "--out", "-"}, 2, "--out and --output both write to standard output"},
        Mistake{{"contract", "ij->jk", "i=j=2", "--run"}, 3, "label k of the result is in no operand"},
        Mistake{{"contract", "ij->$", "i=j=2", "--run"}, 3, "unexpected '$' at position 5 in the result"},
        Mistake{{"contract", "ij->ji", "i=2", "--run"}, 3, "label j of operand 1 has no size"},
        Mistake{{"contract", "ij->ji", "i=j=2", "--run", "--strides", "B=1,2"}, 3, "has one operand, A"},
        Mistake{{"contract", "i...->i", "i=2", "--run"}, 3, "the axes of '...' in operand 1 have no names"},
        Mistake{{"contract", "ij->ji", "--in", "/dev/null", "--in", "/dev/null", "--out", "/tmp/c.npy"},
                3,
                "has 1 operand, but 2 files are given"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--blas-kernels", "gemv"}, 2, "--blas-kernels is for ranking algorithms"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--effort", "estimate"}, 2, "--effort is for --run and --in"},
        Mistake{{"contract", "ab=ai,ib", "--in", "a.npy", "--in", "b.npy", "--out", "c.npy", "--effort", "incremental"},
                2,
                "files are contracted once"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=d=2", "--list"}, 2, "are for contractions of two tensors"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=d=2", "--all-levels"}, 2, "--all-levels is for ranking algorithms of two tensors"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=d=2", "--effort", "measure"}, 2, "--effort is for --run and --in"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=2"}, 3, "label d of operand 3 has no size"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=d=2", "--max-bytes", "much"}, 2, "--max-bytes: 'much' is not"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=d=2", "--max-bytes", "1"}, 3, "allow more bytes"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=d=2", "--strides", "A=1,2"}, 3, "'A' is no tensor; expected 1, 2, ... or result"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=d=2", "--strides", "4=1,2"}, 3, "number of an operand: 4 is out of range"},
        Mistake{{"contract", "ab,bc,cd->ad", "a=b=c=d=2", "--run", "--tiles", "8x8x8"}, 3, "tiles are for one contraction of two tensors"},
        Mistake{{"contract", "ab,bc,cd->ad", "--in", "/dev/null", "--in", "/dev/null", "--out", "/tmp/c.npy"},
                3,
                "has 3 operands, but 2 files are given"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--plan", "--run"}, 2, "exclude one another"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=2", "--run", "--max-bytes", "1KiB"}, 2, "is for expressions of three operands and more"},
        Mistake{{"wisdom", "import"}, 2, "no file of wisdom is named"}, Mistake{{"wisdom", "import", "x", "--system"}, 2, "leave x out"},
        Mistake{{"contract", "ab=ai,ib", "a=b=i=100000", "--run"}, 4, "the tensors need 224 GiB"}));

TEST(Usage, MessagesFoldAtTheWidthOfTheTerminal) {
  const std::string command = "flopcast tune dgeqrf --repetitions few";
  EXPECT_EQ(shell("COLUMNS=50 " + command).err,
            "flopcast: --repetitions: 'few' given, expected a\nwhole number from 1 to 1000\nSee 'flopcast tune --help'.\n");
  EXPECT_EQ(shell(command).err,
            "flopcast: --repetitions: 'few' given, expected a whole number from 1 to 1000\nSee 'flopcast tune --help'.\n");
}

TEST(Usage, VersionGoesToStandardOutput) {
  const Ended ended = flopcast({"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, ::testing::MatchesRegex("flopcast [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(ended.err, "");
}

TEST(Usage, HelpOnAFullDiskIsAnErrorOfTheEnvironment) {
  const Ended ended = shell("flopcast --help >/dev/full");
  EXPECT_EQ(ended.code, 4);
  EXPECT_EQ(ended.err, "flopcast: cannot write to standard output: No space left on device\n");
}

TEST(Usage, AReaderThatHasGoneIsNoError) {
  const Ended ended = shell("(sleep 0.2; flopcast --help; echo $? >&2) | true");
  EXPECT_EQ(ended.err, "141\n");
}

INSTANTIATE_TEST_SUITE_P(
    Profile, Mistakes,
    ::testing::Values(Mistake{{"profile"}, 2, "trace"}, Mistake{{"profile", "/no/such/file"}, 3, "can't read /no/such/file"},
                      Mistake{{"profile", "/etc/passwd"}, 3, "isn't a recording of a program"},
                      Mistake{{"profile", "x", "--by", "colour"}, 2, "--by"}, Mistake{{"profile", "x", "--csv"}, 2, "choose it with --by"},
                      Mistake{{"profile", "x", "--by", "nb"}, 2, "it needs --what-if"}, Mistake{{"profile", "x", "--top", "0"}, 2, "--top"},
                      Mistake{{"profile", "x", "--page", "-"}, 2, "--page -"},
                      Mistake{{"profile", "x", "--export", "perfetto", "--csv"}, 2, "--export perfetto writes the calls and no tables"},
                      Mistake{{"profile", "x", "--export", "pdf"}, 2, "--export"},
                      Mistake{{"profile", "x", "--page", "/no/such/folder/page.html"}, 4, "No such file or directory"},
                      Mistake{{"profile", "x", "--time-budget", "soon"}, 2, "--time-budget"},
                      Mistake{
                          {"profile", "x", "--what-if", "faster"}, 2, "'faster' is not understood; expected same, or some of blas=NAME"},
                      Mistake{{"profile", "x", "--what-if", "blas="}, 2, "'blas=' is not understood"},
                      Mistake{{"profile", "x", "--what-if", "nb,,threads=2"}, 2, "'' is not understood"},
                      Mistake{{"profile", "x", "--what-if", "nb,nb"}, 2, "nb is given twice"},
                      Mistake{{"profile", "x", "--what-if", "same,nb"}, 2, "'same' is not understood"},
                      Mistake{{"profile", "x", "--what-if", "threads=0"}, 2, "--what-if threads"}));

/// A pager or `head` may leave output unread, which must not change the exit code.
TEST(BrokenPipes, OnStandardErrorChangeNoExitCode) {
  const Ended ended = shell("exec 3>&1; { sleep 0.2; flopcast predict dgeqrf n=0 2>&1; echo $? >&3; } | true");
  EXPECT_EQ(ended.out, "3\n");
}

}  // namespace
}  // namespace flopcast::testing
