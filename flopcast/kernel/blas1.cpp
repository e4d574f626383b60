#include "flopcast/kernel/entry.hpp"

// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

Item x() { return in("x", vec("n")); }
Item y() { return in("y", vec("n")); }

}  // namespace

// Counts of real arithmetic inside a complex routine are fractions: a complex multiplication stands for 6 real operations, an addition for
// 2. Comparisons, negations and absolute values of reals are free, so that a real iamax has no flops.
std::vector<Entry> blas1_entries() {
  using enum Precision;
  const std::vector<std::string> positive = {"incx >= 1"};  // with another increment the reference does nothing
  return {
      {names("sdcz", "swap"), "swap", "x <-> y",
       {size("n"), update("x", vec("n")), inc("incx"), update("y", vec("n")), inc("incy")},
       "", ""},
      {names("sdcz", "copy"), "copy", "y := x", {size("n"), x(), inc("incx"), out("y", vec("n")), inc("incy")}, "", ""},
      // Libraries notice alpha = 1, which leaves x unchanged. With -1 no element grows.
      Entry{names("sdcz", "scal"), "scal", "x := alpha x",
            {size("n"), scalar("alpha").usually("-1"), update("x", vec("n")), inc("incx")},
            "n", ""}.requiring(positive),
      Entry{{{"csscal", c}, {"zdscal", z}}, "scal", "x := alpha x with real alpha",
            {size("n"), real_scalar("alpha").usually("-1"), update("x", vec("n")), inc("incx")},
            "n/3", ""}.requiring(positive),
      {names("sdcz", "axpy"), "axpy", "y := alpha x + y",
       {size("n"), scalar("alpha"), x(), inc("incx"), update("y", vec("n")), inc("incy")},
       "n", "n"},

      {names("sd", "dot"), "dot", "x' y", {size("n"), x(), inc("incx"), y(), inc("incy")}, "n", "n-1", Returns::element},
      {names("cz", "dotu"), "dotu", "x^T y", {size("n"), x(), inc("incx"), y(), inc("incy")}, "n", "n-1", Returns::element},
      {names("cz", "dotc"), "dotc", "x^H y", {size("n"), x(), inc("incx"), y(), inc("incy")}, "n", "n-1", Returns::element},
      {{{"sdsdot", s}}, "sdsdot", "b + x' y, added up in double precision",
       {size("n"), scalar("b"), x(), inc("incx"), y(), inc("incy")},
       "n", "n", Returns::real},
      {{{"dsdot", s}}, "dsdot", "x' y of single vectors in double precision",
       {size("n"), x(), inc("incx"), y(), inc("incy")},
       "n", "n-1", Returns::real, true},

      // The square root counts as a multiplication; scaling against overflow, which differs between libraries, isn't counted.
      Entry{names("sd", "nrm2"), "nrm2", "Euclidean norm of x",
            {size("n"), x(), inc("incx")},
            "n+1", "n-1", Returns::real}.requiring(positive),
      Entry{{{"scnrm2", c}, {"dznrm2", z}}, "nrm2", "Euclidean norm of x",
            {size("n"), x(), inc("incx")},
            "(2*n+1)/6", "n-1/2", Returns::real}.requiring(positive),
      Entry{names("sd", "asum"), "asum", "sum of |x_i|", {size("n"), x(), inc("incx")}, "", "n-1", Returns::real}.requiring(positive),
      Entry{{{"scasum", c}, {"dzasum", z}}, "asum", "sum of |Re x_i| + |Im x_i|",
            {size("n"), x(), inc("incx")},
            "", "n-1/2", Returns::real}.requiring(positive),
      Entry{{{"isamax", s}, {"idamax", d}}, "iamax", "first i (from 1) of largest |x_i|",
            {size("n"), x(), inc("incx")},
            "", "", Returns::integer}.requiring(positive),
      Entry{{{"icamax", c}, {"izamax", z}}, "iamax", "first i (from 1) of largest |Re x_i| + |Im x_i|",
            {size("n"), x(), inc("incx")},
            "", "n/2", Returns::integer}.requiring(positive),

      {names("sd", "rot"), "rot", "[x y] := [x y] [c -s; s c]",
       {size("n"), update("x", vec("n")), inc("incx"), update("y", vec("n")), inc("incy"), scalar("c"), scalar("s")},
       "4*n", "2*n"},
      {{{"csrot", c}, {"zdrot", z}}, "rot", "[x y] := [x y] [c -s; s c] with real c and s",
       {size("n"), update("x", vec("n")), inc("incx"), update("y", vec("n")), inc("incy"), real_scalar("c"), real_scalar("s")},
       "4*n/3", "2*n"},
      // H with all four elements free (flag -1 in `param`), which is the case of rotm with most operations.
      {names("sd", "rotm"), "rotm", "[x; y] := H [x; y], modified Givens rotation",
       {size("n"), update("x", vec("n")), inc("incx"), update("y", vec("n")), inc("incy"), in("param", vec("5")).with(Fill::zero)},
       "4*n", "2*n"},
      // The operations of the generators depend on their data; the counts are those of the formula without scaling.
      {names("sd", "rotg"), "rotg", "Givens rotation that annihilates b",
       {update("a", one()), update("b", one()), out("c", one()).skipped(1), out("s", one()).skipped(0)},
       "6", "1"},
      {names("cz", "rotg"), "rotg", "Givens rotation that annihilates b",
       {update("a", one()), in("b", one()), out("c", one()).as_real().skipped(1), out("s", one()).skipped(0)},
       "6", "1"},
      {names("sd", "rotmg"), "rotmg", "modified Givens rotation",
       {update("d1", one()).with(Fill::definite), update("d2", one()).with(Fill::definite), update("x1", one()).with(Fill::definite),
        scalar("y1"), out("param", vec("5")).skipped(0)},
       "9", "1"},
  };
}

}  // namespace flopcast::kernel
