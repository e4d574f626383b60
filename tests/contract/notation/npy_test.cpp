#include "flopcast/contract/notation/contraction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

using ::testing::HasSubstr;

Array example() {
  Array array;
  array.shape = {2, 3};
  array.elements.assign(48, std::byte{7});
  return array;
}

std::string says(const std::string& contents) {
  try {
    parse_npy(contents, "a.npy");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "nothing was thrown";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Npy, SurvivesARoundTrip) {
  for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {5}, {2, 3}, {1, 0, 4}}) {
      for (const Order order : {Order::row_major, Order::column_major}) {
        Array array{precision, order, shape, {}};
        std::size_t bytes = static_cast<std::size_t>(element_bytes(precision));
        for (const std::int64_t extent : shape) {
          bytes *= static_cast<std::size_t>(extent);
        }
        array.elements.assign(bytes, std::byte{42});
        const std::string contents = format_npy(array);
        EXPECT_EQ((contents.size() - bytes) % 64, 0U);
        const Array back = parse_npy(contents, "x");
        EXPECT_EQ(back.precision, precision);
        EXPECT_EQ(back.order, order);
        EXPECT_EQ(back.shape, shape);
        EXPECT_EQ(back.elements, array.elements);
      }
    }
  }
}

TEST(Npy, ErrorsNameTheProblem) {
  const std::string good = format_npy(example());
  EXPECT_THAT(says(""), HasSubstr("a.npy is no .npy file"));
  EXPECT_THAT(says("hello, world, hello"), HasSubstr("a.npy is no .npy file"));
  EXPECT_THAT(says(good.substr(0, 40)), HasSubstr("cut off within the .npy header"));
  EXPECT_THAT(says(good.substr(0, good.size() - 1)), HasSubstr("holds 47 bytes of elements, but its shape (2, 3) says 48"));
  EXPECT_THAT(says(good + "x"), HasSubstr("holds 49 bytes"));
  EXPECT_THAT(says(replaced(good, "<f8", "<i8")), HasSubstr("elements of type <i8"));
  EXPECT_THAT(says(replaced(good, "<f8", ">f8")), HasSubstr("elements of type >f8"));
  EXPECT_THAT(says(replaced(good, "'shape'", "'shaqe'")), HasSubstr("has 'shaqe', expected"));
  EXPECT_THAT(says(replaced(good, "(2, 3)", "(2, x)")), HasSubstr("shape"));
  EXPECT_THAT(says(replaced(good, "(2, 3)", "[2, 3]")), HasSubstr("can't be read from '[2, 3]"));
  EXPECT_THAT(says(replaced(good, "'shape': (2, 3), ", "                 ")), HasSubstr("has no 'shape'"));
  EXPECT_THAT(says(replaced(good, "'<f8'", "'<f8 ")), HasSubstr("elements of type <f8 , ;"));
  EXPECT_THAT(says(std::string(good).replace(6, 1, "\x04")), HasSubstr("version 4"));
}

/// A file of 3 x 2 doubles with this header.
std::string with_header(std::string header, char version = 1) {
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  header.append((64 - (8 + length_bytes + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string contents = std::string("\x93NUMPY") + version + '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) {
    contents += static_cast<char>(header.size() >> 8 * i & 0xff);
  }
  return contents + header + std::string(48, '\0');
}

TEST(Npy, ReadsTheHeadersThatNumPyReads) {
  for (const char* header :
       {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }",
        "{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (3, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L), }", "{'descr': u'<f8', u'fortran_order': False, 'shape': (0x3, 2), }",
        "{'descr': '=f8', 'fortran_order': False, 'shape': (3, 2), }", "{'descr': 'float64', 'fortran_order': False, 'shape': (3, 2), }",
        "{'descr': 'd', 'fortran_order': False, 'shape': (3,2)}", "{'shape': (3, 2), 'fortran_order': False, 'descr': '<f8'}",
        "  {  'shape' :(3,2,) ,'fortran_order':False,\n'descr':'f8'  }  "}) {
    for (const char version : {'\1', '\2', '\3'}) {
      const Array array = parse_npy(with_header(header, version), header);
      EXPECT_EQ(array.precision, Precision::d);
      EXPECT_EQ(array.order, Order::row_major);
      EXPECT_EQ(array.shape, (std::vector<std::int64_t>{3, 2}));
    }
  }
  EXPECT_EQ(parse_npy(with_header("{'descr': '<f8', 'fortran_order': True, 'shape': (3,2,), }", 2), "x").order, Order::column_major);
}

}  // namespace
}  // namespace flopcast::contract
