#include "flopcast/program/ilaenv_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "flopcast/program/call_source.hpp"
#include "flopcast/protocol/borrowed_name.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::program {
namespace {

/// LAPACK's own block parameters of the routines whose names are one of four letters and these five.
struct OwnBlocks {
  std::string letters;
  std::string precisions;  ///< the letters S, D, C, Z that have them
  int nb = 1, nbmin = 2, nx = 0;
};

/// Returns the table of LAPACK 3.11, as its ilaenv answers. Values that depend on sizes or further letters are rules in the templates
/// below.
std::vector<OwnBlocks> own_blocks() {
  constexpr const char* all = "SDCZ";
  constexpr const char* real = "SD";
  constexpr const char* complex = "CZ";
  std::vector<OwnBlocks> rows = {{"GETRF", all, 64, 2, 0},     {"GETRI", all, 64, 2, 0},     {"POTRF", all, 64, 2, 0},
                                 {"LAUUM", all, 64, 2, 0},     {"TRTRI", all, 64, 2, 0},     {"TREVC", all, 64, 2, 0},
                                 {"SYTRF", all, 64, 8, 0},     {"HETRF", complex, 64, 2, 0}, {"SYGST", real, 64, 2, 0},
                                 {"HEGST", complex, 64, 2, 0}, {"SYTRD", real, 32, 2, 32},   {"HETRD", complex, 32, 2, 32},
                                 {"LATRS", all, 32, 2, 0},     {"LAORH", real, 32, 2, 0}};
  for (const char* factorisation : {"GEQRF", "GERQF", "GELQF", "GEQLF", "GEHRD", "GEBRD"}) {
    rows.push_back({factorisation, all, 32, 2, 128});
  }
  for (const char* kind : {"QR", "RQ", "LQ", "QL", "HR", "TR", "BR"}) {
    rows.push_back({std::string("ORG") + kind, real, 32, 2, 128});
    rows.push_back({std::string("UNG") + kind, complex, 32, 2, 128});
    rows.push_back({std::string("ORM") + kind, real, 32, 2, 0});
    rows.push_back({std::string("UNM") + kind, complex, 32, 2, 0});
  }
  return rows;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Returns the product of sizes below which no point applies: sqrt(m n) is half of the smallest point's.
double least_product(const TunedRoutine& routine) {
  double least = 0;
  for (const TunedPoint& point : routine.points) {
    const double product = static_cast<double>(point.m) * static_cast<double>(point.n) / 4;
    least = least == 0 ? product : std::min(least, product);
  }
  return least;
}

constexpr const char* fortran_text = R"f90(@HEADER@
integer function ilaenv(ispec, name, opts, n1, n2, n3, n4)
  implicit none
  integer, intent(in) :: ispec, n1, n2, n3, n4
  character(len=*), intent(in) :: name, opts
  integer, external :: ieeeck, iparmq
  character(len=16) :: routine
  double precision :: log_m, log_n, nearest
  integer :: nb, nbmin, nx
  logical :: found

  select case (ispec)
  case (1:3)
    routine = upper(name)
    found = .false.
    call find_tuned()
    if (.not. found) call find_own()
    if (ispec == 1) then
      ilaenv = nb
    else if (ispec == 2) then
      ilaenv = nbmin
    else
      ilaenv = nx
    end if
  case (4)                       ! number of shifts of xHSEQR before LAPACK 3.1
    ilaenv = 6
  case (5)                       ! least column dimension for blocking
    ilaenv = 2
  case (6)                       ! crossover point of the singular value decomposition
    ilaenv = int(real(min(n1, n2)) * 1.6)
  case (7)                       ! number of processors
    ilaenv = 1
  case (8)                       ! crossover point of xHSEQR before LAPACK 3.1
    ilaenv = 50
  case (9)                       ! largest size of the leaves of divide and conquer
    ilaenv = 25
  case (10)                      ! whether NaN are safe
    ilaenv = ieeeck(1, 0.0, 1.0)
  case (11)                      ! whether infinities are safe
    ilaenv = ieeeck(0, 0.0, 1.0)
  case (12:17)                   ! parameters of the QR algorithm of eigenvalues
    ilaenv = iparmq(ispec, name, opts, n1, n2, n3, n4)
  case default
    ilaenv = -1
  end select

contains

  ! Tuned values: the point that is nearest to the sizes in logarithms. Small sizes keep LAPACK's own.
  subroutine find_tuned()
    select case (routine)
@TUNED@    end select
  end subroutine find_tuned

  ! Returns whether the options begin with these letters.
  logical function has_options(letters)
    character(len=*), intent(in) :: letters
    character(len=16) :: given
    given = upper(opts)
    has_options = given(1:len(letters)) == letters
  end function has_options

  ! Returns whether the product of the sizes reaches a limit, and prepares the search among points.
  logical function are_large(least_product)
    double precision, intent(in) :: least_product
    integer :: n
    n = n2
    if (n < 0) n = n1
    are_large = .false.
    if (n1 > 0 .and. n > 0) are_large = dble(n1) * dble(n) >= least_product
    if (.not. are_large) return
    log_m = log(dble(n1))
    log_n = log(dble(n))
    nearest = huge(nearest)
  end function are_large

  subroutine point(m, n, point_nb, point_nbmin, point_nx)
    integer, intent(in) :: m, n, point_nb, point_nbmin, point_nx
    double precision :: distance
    distance = (log(dble(m)) - log_m)**2 + (log(dble(n)) - log_n)**2
    if (distance >= nearest) return
    nearest = distance
    nb = point_nb
    nbmin = point_nbmin
    nx = point_nx
    found = .true.
  end subroutine point

  ! LAPACK's own values of all other routines.
  subroutine find_own()
    integer, parameter :: least(2) = [48, 24], most(2) = [240, 80], percent(2) = [16, 8]
    integer :: kind
    nb = 1
    nbmin = 1
    nx = 1
    if (scan(routine(1:1), 'SDCZ') == 0) return
    nbmin = 2
    nx = 0
    if (routine(2:3) == 'GG') call own('SDCZ', 32, 2, 128)
    select case (routine(2:6))
@OWN@    end select
    if (routine(2:6) == 'SYTRF' .or. (routine(2:6) == 'HETRF' .and. scan(routine(1:1), 'CZ') > 0)) then
      if (routine(11:11) == '2') nb = 192
    else if (routine(2:6) == 'GBTRF') then
      if (n4 > 64) nb = 32
    else if (routine(2:6) == 'PBTRF') then
      if (n2 > 64) nb = 32
    else if (routine(2:6) == 'TRSYL') then
      kind = merge(1, 2, scan(routine(1:1), 'SD') > 0)
      nb = min(max(least(kind), min(n1, n2) * percent(kind) / 100), most(kind))
    else if ((routine(2:6) == 'GEQR ' .and. n3 == 1) .or. (routine(2:6) == 'GELQ ' .and. n3 == 2)) then
      if (dble(n1) * dble(n2) <= 131072d0 .or. n1 <= 8192) then
        nb = n1
      else
        nb = 32768 / n2
      end if
    end if
  end subroutine find_own

  subroutine own(precisions, own_nb, own_nbmin, own_nx)
    character(len=*), intent(in) :: precisions
    integer, intent(in) :: own_nb, own_nbmin, own_nx
    if (scan(routine(1:1), precisions) == 0) return
    nb = own_nb
    nbmin = own_nbmin
    nx = own_nx
  end subroutine own

  ! Returns a text up to its first blank in upper case, cut or filled with blanks to 16 letters. Programs in C often pass
  ! no length: one of 0 or above 16 is none.
  function upper(text)
    character(len=*), intent(in) :: text
    character(len=16) :: upper
    integer :: i, last
    last = 16
    if (len(text) > 0 .and. len(text) < 16) last = len(text)
    upper = ' '
    do i = 1, last
      if (iachar(text(i:i)) <= iachar(' ')) exit
      upper(i:i) = text(i:i)
      if (text(i:i) >= 'a' .and. text(i:i) <= 'z') upper(i:i) = achar(iachar(text(i:i)) - 32)
    end do
  end function upper

end function ilaenv
)f90";

constexpr const char* c_text = R"c(@HEADER@

#include <math.h>
#include <stddef.h>
#include <string.h>

/* LAPACK's integers: compile with -DFLOPCAST_INTEGER=int64_t -include stdint.h for a LAPACK with 64-bit integers. */
#ifndef FLOPCAST_INTEGER
#define FLOPCAST_INTEGER int
#endif
typedef FLOPCAST_INTEGER integer;

extern integer ieeeck_(const integer* ispec, const float* zero, const float* one);
extern integer iparmq_(const integer* ispec, const char* name, const char* opts, const integer* n, const integer* ilo, const integer* ihi,
                       const integer* lwork, size_t name_length, size_t opts_length);
integer ilaenv_(const integer* ispec, const char* name, const char* opts, const integer* n1, const integer* n2, const integer* n3,
                const integer* n4, size_t name_length, size_t opts_length);

enum { letters = 16 };

/* A query and its answer. */
struct query {
  char routine[letters + 1], opts[letters + 1]; /* in upper case, filled with blanks */
  integer n1, n2, n3, n4;
  double log_m, log_n, nearest;
  int found;
  integer nb, nbmin, nx;
};

/* Takes a text up to its first blank. Programs in C often pass no length: one of 0 or above `letters` is none. */
static void take_upper(char* to, const char* text, size_t length) {
  const size_t end = length > 0 && length < letters ? length : letters;
  size_t i = 0;
  for (; i < end && text[i] > ' '; ++i) {
    to[i] = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 'a' + 'A') : text[i];
  }
  memset(to + i, ' ', letters - i);
  to[letters] = '\0';
}

/* Returns whether the routine's name continues with these five letters after the precision. */
static inline int goes_on(const struct query* query, const char* with) { return memcmp(query->routine + 1, with, 5) == 0; }
static int has_precision(const struct query* query, const char* precisions) { return strchr(precisions, query->routine[0]) != NULL; }

/* Returns whether this is a routine, whose name is filled with blanks, with options that begin with these letters. */
static inline int is_query(const struct query* query, const char* routine, const char* opts) {
  return memcmp(query->routine, routine, letters) == 0 && memcmp(query->opts, opts, strlen(opts)) == 0;
}

/* Returns whether the product of the sizes reaches a limit, and prepares the search among points. */
static int are_large(struct query* query, double least_product) {
  const integer n = query->n2 < 0 ? query->n1 : query->n2;
  if (query->n1 <= 0 || n <= 0 || (double)query->n1 * (double)n < least_product) {
    return 0;
  }
  query->log_m = log((double)query->n1);
  query->log_n = log((double)n);
  query->nearest = HUGE_VAL;
  return 1;
}

static void point(struct query* query, integer m, integer n, integer nb, integer nbmin, integer nx) {
  const double to_m = log((double)m) - query->log_m, to_n = log((double)n) - query->log_n;
  const double distance = to_m * to_m + to_n * to_n;
  if (distance < query->nearest) {
    query->nearest = distance;
    query->nb = nb;
    query->nbmin = nbmin;
    query->nx = nx;
    query->found = 1;
  }
}

/* Tuned values: the point that is nearest to the sizes in logarithms. Small sizes keep LAPACK's own. */
static void find_tuned(struct query* query) {
@TUNED@}

/* LAPACK's own values of routines whose names continue with these letters. */
static const struct row {
  char letters[6], precisions[5];
  integer nb, nbmin, nx;
} rows[] = {
@OWN@};

static integer smaller(integer a, integer b) { return a < b ? a : b; }
static integer larger(integer a, integer b) { return a > b ? a : b; }

/* LAPACK's own values of all other routines. */
static void find_own(struct query* query) {
  query->nb = query->nbmin = query->nx = 1;
  if (!has_precision(query, "SDCZ")) {
    return;
  }
  query->nbmin = 2;
  query->nx = 0;
  if (query->routine[1] == 'G' && query->routine[2] == 'G') {
    query->nb = 32;
    query->nx = 128;
  }
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (goes_on(query, rows[i].letters) && has_precision(query, rows[i].precisions)) {
      query->nb = rows[i].nb;
      query->nbmin = rows[i].nbmin;
      query->nx = rows[i].nx;
      break;
    }
  }
  if (goes_on(query, "SYTRF") || (goes_on(query, "HETRF") && has_precision(query, "CZ"))) {
    query->nb = query->routine[10] == '2' ? 192 : query->nb;
  } else if (goes_on(query, "GBTRF")) {
    query->nb = query->n4 > 64 ? 32 : 1;
  } else if (goes_on(query, "PBTRF")) {
    query->nb = query->n2 > 64 ? 32 : 1;
  } else if (goes_on(query, "TRSYL")) {
    const int real = has_precision(query, "SD");
    const integer share = smaller(query->n1, query->n2) * (real ? 16 : 8) / 100;
    query->nb = smaller(larger(real ? 48 : 24, share), real ? 240 : 80);
  } else if ((goes_on(query, "GEQR ") && query->n3 == 1) || (goes_on(query, "GELQ ") && query->n3 == 2)) {
    const int whole = (double)query->n1 * (double)query->n2 <= 131072 || query->n1 <= 8192;
    query->nb = whole ? query->n1 : 32768 / query->n2;
  }
}

static integer block_parameter(integer ispec, struct query* query) {
  query->found = 0;
  find_tuned(query);
  if (!query->found) {
    find_own(query);
  }
  return ispec == 1 ? query->nb : ispec == 2 ? query->nbmin : query->nx;
}

integer ilaenv_(const integer* ispec, const char* name, const char* opts, const integer* n1, const integer* n2, const integer* n3,
                const integer* n4, size_t name_length, size_t opts_length) {
  static const float zero = 0.0F, one = 1.0F;
  static const integer nan_too = 1, infinities_only = 0;
  struct query query;
  switch (*ispec) {
    case 1:
    case 2:
    case 3:
      take_upper(query.routine, name, name_length);
      take_upper(query.opts, opts, opts_length);
      query.n1 = *n1;
      query.n2 = *n2;
      query.n3 = *n3;
      query.n4 = *n4;
      return block_parameter(*ispec, &query);
    case 4: return 6;                                           /* number of shifts of xHSEQR before LAPACK 3.1 */
    case 5: return 2;                                           /* least column dimension for blocking */
    case 6: return (integer)((float)smaller(*n1, *n2) * 1.6F);  /* crossover point of the singular value decomposition */
    case 7: return 1;                                           /* number of processors */
    case 8: return 50;                                          /* crossover point of xHSEQR before LAPACK 3.1 */
    case 9: return 25;                                          /* largest size of the leaves of divide and conquer */
    case 10: return ieeeck_(&nan_too, &zero, &one);             /* whether NaN are safe */
    case 11: return ieeeck_(&infinities_only, &zero, &one);     /* whether infinities are safe */
    case 12:                                                    /* parameters of the QR algorithm of eigenvalues */
    case 13:
    case 14:
    case 15:
    case 16:
    case 17: return iparmq_(ispec, name, opts, n1, n2, n3, n4, name_length, opts_length);
    default: return -1;
  }
}
)c";

/// Returns the comment that begins the file.
std::string header(const SavedTuning& tuning, SourceLanguage language) {
  const Environment& place = tuning.environment;
  const std::vector<std::string> lines = {
      "LAPACK's ilaenv with tuned block sizes, written by flopcast " + std::string(version()) + ".",
      "CPU:     " + harmless(place.cpu),
      "BLAS:    " + harmless(place.blas.name + " " + place.blas.version + ", " + counted(place.threads, "thread")),
      "LAPACK:  " + harmless(place.lapack.name + " " + place.lapack.version),
      "Compile this file and link it before LAPACK; it then takes the place of LAPACK's own ilaenv.",
      "It may be used without any restriction."};
  std::string text = language == SourceLanguage::c ? "/*\n" : "";
  for (const std::string& line : lines) {
    text += fmt::format("{} {}\n", language == SourceLanguage::c ? " *" : "!", line);
  }
  return text + (language == SourceLanguage::c ? " */" : "");
}

using Entries = std::vector<const TunedRoutine*>;

/// Returns the points of one entry, whose lines begin with `indent`.
std::string fortran_points(const TunedRoutine& routine, const std::string& indent) {
  std::string text = fmt::format("{}if (are_large({:.2f}d0)) then\n", indent, least_product(routine));
  for (const TunedPoint& point : routine.points) {
    text +=
        fmt::format("{}  call point({}, {}, {}, {}, {})\n", indent, point.m, point.n, point.blocks.nb, point.blocks.nbmin, point.blocks.nx);
  }
  return text + indent + "end if\n";
}

/// Returns the choice among the entries of one routine. Those for all options come last.
std::string fortran_choice(const std::string& name, const Entries& entries) {
  std::string text = fmt::format("    case ('{}')\n", upper(name));
  if (entries.front()->flags.empty()) {
    return text + fortran_points(*entries.front(), "      ");
  }
  for (const TunedRoutine* entry : entries) {
    const std::string condition = entry->flags.empty() ? "" : fmt::format("if (has_options('{}')) then", upper(entry->flags));
    const bool first = entry == entries.front();
    text += fmt::format("      {}{}\n", first ? "" : condition.empty() ? "else" : "else ", condition) + fortran_points(*entry, "        ");
  }
  return text + "      end if\n";
}

std::string c_choice(const std::string& name, const Entries& entries) {
  std::string text;
  for (const TunedRoutine* entry : entries) {
    text += fmt::format("  if (is_query(query, \"{:<16}\", \"{}\")) {{\n    if (are_large(query, {:.2f})) {{\n", upper(name),
                        upper(entry->flags), least_product(*entry));
    for (const TunedPoint& point : entry->points) {
      text +=
          fmt::format("      point(query, {}, {}, {}, {}, {});\n", point.m, point.n, point.blocks.nb, point.blocks.nbmin, point.blocks.nx);
    }
    text += "    }\n    return;\n  }\n";
  }
  return text;
}

std::string own_row(const OwnBlocks& row, SourceLanguage language) {
  return language == SourceLanguage::fortran
             ? fmt::format("    case ('{}')\n      call own('{}', {}, {}, {})\n", row.letters, row.precisions, row.nb, row.nbmin, row.nx)
             : fmt::format("    {{\"{}\", \"{}\", {}, {}, {}}},\n", row.letters, row.precisions, row.nb, row.nbmin, row.nx);
}

std::string filled(std::string text, const std::map<std::string, std::string>& parts) {
  for (const auto& [mark, part] : parts) {
    text.replace(text.find(mark), mark.size(), part);
  }
  return text;
}

/// Throws bad_input unless name and options consist of letters, digits and underscores.
void require_plain(const TunedRoutine& routine) {
  const auto plain = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  };
  if (!plain(routine.name) || !plain(routine.flags)) {
    throw bad_input("tuning file: the routine '{}' has a name or options that aren't LAPACK's: letters and digits are expected",
                    routine_label(routine.name, routine.flags));
  }
}

}  // namespace

IlaenvSource ilaenv_source(const SavedTuning& tuning, SourceLanguage language) {
  static_cast<void>(block_table_text(tuning));  // throws for names and sizes that no query has
  IlaenvSource source;
  std::map<std::string, Entries> by_name;
  for (const TunedRoutine& routine : tuning.routines) {
    require_plain(routine);
    const bool borrows = !protocol::borrowed_name(routine.name).empty();
    (borrows ? source.left_out : source.routines).push_back(routine_label(routine.name, routine.flags));
    if (!borrows) {
      by_name[routine.name].push_back(&routine);
    }
  }
  if (by_name.empty()) {
    throw bad_input(
        "the tuning file has no tuned routine that ilaenv can answer for. 'flopcast tune dgeqrf --n 200:3200 --save' tunes one");
  }
  std::string tuned, own;
  for (auto& [name, entries] : by_name) {
    std::stable_partition(entries.begin(), entries.end(), [](const TunedRoutine* entry) { return !entry->flags.empty(); });
    tuned += language == SourceLanguage::fortran ? fortran_choice(name, entries) : c_choice(name, entries);
  }
  for (const OwnBlocks& row : own_blocks()) {
    own += own_row(row, language);
  }
  source.text = filled(language == SourceLanguage::fortran ? fortran_text : c_text,
                       {{"@HEADER@", header(tuning, language)}, {"@TUNED@", tuned}, {"@OWN@", own}});
  return source;
}

}  // namespace flopcast::program
