#pragma once

#include <string>

#include "tests/kernel/reference/arguments.hpp"

/// Plain implementations of every routine of the catalogue: one function per family, in the order of operations that LAPACK working note 41
/// counts.
namespace flopcast::kernel::reference {

using Function = void (*)(Arguments&);

/// Returns the reference of a family ("gemm"), or nullptr.
Function find(const std::string& family);

void swap(Arguments&), copy(Arguments&), scal(Arguments&), axpy(Arguments&), dotu(Arguments&), dotc(Arguments&), sdsdot(Arguments&);
void nrm2(Arguments&), asum(Arguments&), iamax(Arguments&), rot(Arguments&), rotm(Arguments&), rotg(Arguments&), rotmg(Arguments&);

void gemv(Arguments&), symv(Arguments&), hemv(Arguments&), trmv(Arguments&), trsv(Arguments&);
void geru(Arguments&), gerc(Arguments&), syr(Arguments&), syr2(Arguments&);

void gemm(Arguments&), symm(Arguments&), hemm(Arguments&), syrk(Arguments&), herk(Arguments&), syr2k(Arguments&), her2k(Arguments&);
void trmm(Arguments&), trsm(Arguments&);

void larfg(Arguments&), larf(Arguments&), larft(Arguments&), larfb(Arguments&);
void geqr2(Arguments&), geqr2p(Arguments&), geql2(Arguments&), gelq2(Arguments&), gerq2(Arguments&), geqrt(Arguments&), geqrt3(Arguments&);
void gemqrt(Arguments&), tpqrt(Arguments&), tpmqrt(Arguments&), laorhr(Arguments&);
void orm2r(Arguments&), org2r(Arguments&);
void orml2(Arguments&), orm2l(Arguments&), ormr2(Arguments&), orgl2(Arguments&), org2l(Arguments&), orgr2(Arguments&);
void ormhr(Arguments&), ormtr(Arguments&), ormbr(Arguments&), orghr(Arguments&), orgtr(Arguments&), orgbr(Arguments&);
void sytf2(Arguments&), hetf2(Arguments&), lasyf(Arguments&), lahef(Arguments&);
void laqps(Arguments&), laqp2(Arguments&);
void gehd2(Arguments&), gehrd(Arguments&), lahr2(Arguments&), gebd2(Arguments&), labrd(Arguments&), sytd2(Arguments&), latrd(Arguments&);

void potf2(Arguments&), potrs(Arguments&), potri(Arguments&), getf2(Arguments&), getrs(Arguments&), getri(Arguments&), laswp(Arguments&),
    posv(Arguments&), gesv(Arguments&), trtrs(Arguments&);
void syev(Arguments&), syevr(Arguments&), gejsv(Arguments&), sysv(Arguments&), geev(Arguments&), gesdd(Arguments&), gesvd(Arguments&),
    gels(Arguments&), gelsd(Arguments&), gelsy(Arguments&), geevx(Arguments&);
void lange(Arguments&), gecon(Arguments&), gebal(Arguments&), geqp3(Arguments&);
/// Returns whether the family's operations depend on the data, and its results are estimates or known except for signs. spectral_test.cpp
/// and norms_test.cpp check these families.
bool is_spectral(const std::string& family);
void trti2(Arguments&), lauu2(Arguments&), sygs2(Arguments&), trsyl(Arguments&), lacpy(Arguments&), laset(Arguments&);

}  // namespace flopcast::kernel::reference
