#include "tests/kernel/reference/families.hpp"

#include <map>
#include <set>

namespace flopcast::kernel::reference {

Function find(const std::string& family) {
  static const std::map<std::string, Function> table = {
      {"swap", swap},     {"copy", copy},     {"scal", scal},     {"axpy", axpy},     {"dot", dotu},    {"dotu", dotu},
      {"dotc", dotc},     {"sdsdot", sdsdot}, {"dsdot", dotu},    {"nrm2", nrm2},     {"asum", asum},   {"iamax", iamax},
      {"rot", rot},       {"rotm", rotm},     {"rotg", rotg},     {"rotmg", rotmg},

      {"gemv", gemv},     {"gbmv", gemv},     {"symv", symv},     {"sbmv", symv},     {"spmv", symv},   {"hemv", hemv},
      {"hbmv", hemv},     {"hpmv", hemv},     {"trmv", trmv},     {"tbmv", trmv},     {"tpmv", trmv},   {"trsv", trsv},
      {"tbsv", trsv},     {"tpsv", trsv},     {"ger", geru},      {"geru", geru},     {"gerc", gerc},   {"syr", syr},
      {"spr", syr},       {"her", syr},       {"hpr", syr},       {"syr2", syr2},     {"spr2", syr2},   {"her2", syr2},
      {"hpr2", syr2},

      {"gemm", gemm},     {"symm", symm},     {"hemm", hemm},     {"syrk", syrk},     {"herk", herk},   {"syr2k", syr2k},
      {"her2k", her2k},   {"trmm", trmm},     {"trsm", trsm},

      {"orml2", orml2},   {"unml2", orml2},   {"ormlq", orml2},   {"unmlq", orml2},   {"orm2l", orm2l}, {"unm2l", orm2l},
      {"ormql", orm2l},   {"unmql", orm2l},   {"ormr2", ormr2},   {"unmr2", ormr2},   {"ormrq", ormr2}, {"unmrq", ormr2},
      {"orgl2", orgl2},   {"ungl2", orgl2},   {"orglq", orgl2},   {"unglq", orgl2},   {"org2l", org2l}, {"ung2l", org2l},
      {"orgql", org2l},   {"ungql", org2l},   {"orgr2", orgr2},   {"ungr2", orgr2},   {"orgrq", orgr2}, {"ungrq", orgr2},
      {"ormhr", ormhr},   {"unmhr", ormhr},   {"ormtr", ormtr},   {"unmtr", ormtr},   {"ormbr", ormbr}, {"unmbr", ormbr},
      {"orghr", orghr},   {"unghr", orghr},   {"orgtr", orgtr},   {"ungtr", orgtr},   {"sytf2", sytf2}, {"sytrf", sytf2},
      {"hetf2", hetf2},   {"hetrf", hetf2},   {"lasyf", lasyf},   {"lahef", lahef},   {"gehd2", gehd2}, {"gehrd", gehrd},
      {"lahr2", lahr2},   {"gebd2", gebd2},   {"gebrd", gebd2},   {"labrd", labrd},   {"sytd2", sytd2}, {"hetd2", sytd2},
      {"sytrd", sytd2},   {"hetrd", sytd2},   {"latrd", latrd},

      {"larfg", larfg},   {"larf", larf},     {"larft", larft},   {"larfb", larfb},   {"geqr2", geqr2}, {"geqrf", geqr2},
      {"geqr2p", geqr2p}, {"geql2", geql2},   {"geqlf", geql2},   {"gelq2", gelq2},   {"gelqf", gelq2}, {"gerq2", gerq2},
      {"gerqf", gerq2},   {"geqrt", geqrt},   {"geqrt2", geqrt3}, {"geqrt3", geqrt3}, {"orm2r", orm2r}, {"unm2r", orm2r},
      {"ormqr", orm2r},   {"unmqr", orm2r},   {"org2r", org2r},   {"ung2r", org2r},   {"orgqr", org2r}, {"ungqr", org2r},
      {"gemqrt", gemqrt}, {"tpqrt", tpqrt},   {"tpmqrt", tpmqrt}, {"laorhr", laorhr},

      {"potf2", potf2},   {"potrf2", potf2},  {"potrf", potf2},   {"potrs", potrs},   {"potri", potri}, {"getf2", getf2},
      {"getrf2", getf2},  {"getrf", getf2},   {"getrs", getrs},   {"getri", getri},   {"laswp", laswp}, {"trti2", trti2},
      {"trtri", trti2},   {"lauu2", lauu2},   {"lauum", lauu2},   {"sygs2", sygs2},   {"hegs2", sygs2}, {"sygst", sygs2},
      {"hegst", sygs2},   {"trsyl", trsyl},   {"lacpy", lacpy},   {"laset", laset},   {"posv", posv},   {"gesv", gesv},

      {"trtrs", trtrs},   {"orgbr", orgbr},   {"ungbr", orgbr},   {"syev", syev},     {"heev", syev},   {"syevd", syev},
      {"heevd", syev},    {"syevr", syevr},   {"heevr", syevr},   {"syevx", syevr},   {"heevx", syevr}, {"gejsv", gejsv},
      {"sysv", sysv},     {"hesv", sysv},     {"geev", geev},     {"gesdd", gesdd},   {"gesvd", gesvd}, {"gels", gels},
      {"gelsd", gelsd},   {"gelsy", gelsy},   {"geevx", geevx},   {"geqp3", geqp3},   {"laqps", laqps}, {"laqp2", laqp2},
      {"gebal", gebal},   {"lange", lange},

      {"gecon", gecon},   {"pocon", gecon},   {"trcon", gecon},
  };
  const auto found = table.find(family);
  return found == table.end() ? nullptr : found->second;
}

bool is_spectral(const std::string& family) {
  static const std::set<std::string> all = {"syev",  "heev",  "syevd", "heevd", "syevr", "heevr", "syevx", "heevx",
                                            "gejsv", "sysv",  "hesv",  "geev",  "gesdd", "gesvd", "gels",  "gelsd",
                                            "gelsy", "geevx", "geqp3", "gebal", "gecon", "pocon", "trcon"};
  return all.count(family) > 0;
}

}  // namespace flopcast::kernel::reference
