// .npy files: what is written, what is read back, other writers' layouts, and every way to be malformed.
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "interp/npy.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using interp::from_npy;
using interp::to_npy;

/// A file of version 1.0 with the given dictionary and elements.
std::string file(const std::string& dictionary, const std::string& payload, char major = 1) {
  std::string header = dictionary + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += {major, '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  if (major > 1) bytes += {'\0', '\0'};
  return bytes + header + payload;
}
std::string dictionary(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}
/// The code of the refusal, or "" when the file was read; every refusal must name the file.
std::string refusal(const std::string& bytes, std::optional<Type> as = std::nullopt) {
  const auto t = from_npy(bytes, as, "a.npy");
  if (t) return "";
  EXPECT_EQ("a.npy", t.error()[0].file);
  EXPECT_FALSE(t.error()[0].message.empty());
  return t.error()[0].code;
}

Tensor filled(Type t, std::vector<std::int64_t> dims) {
  Tensor tensor(t, std::move(dims));
  interp::Random random(interp::seed_for(name(t), 8));
  const std::vector<Scalar> special = interp::special_values(t);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, special[random.below(special.size())]);
  return tensor;
}

TEST(Npy, WhatIsWrittenReadsBack) {
  for (const Type t : storage_types) {
    for (const std::vector<std::int64_t>& dims :
         std::vector<std::vector<std::int64_t>>{{}, {1}, {7}, {3, 5}, {2, 0, 4}, {2, 3, 4, 5}}) {
      const Tensor tensor = filled(t, dims);
      const std::string bytes = to_npy(tensor);
      const auto back = from_npy(bytes, t, "a.npy");
      RULE_TRUE("NPY-8", back.has_value() && *back == tensor) << name(t);
      RULE_TRUE("NPY-1", back.has_value() && back->dims == dims);
      RULE_TRUE("NPY-8", (bytes.size() - tensor.bytes.size()) % 64 == 0 &&
                             bytes[bytes.size() - tensor.bytes.size() - 1] == '\n');
    }
  }
}

TEST(Npy, BytesAreThoseOfNumpy) {
  Tensor t(Type::f32, {2});
  t.set(0, {Type::f32, 0x3f800000});
  t.set(1, {Type::f32, 0xc0000000});
  // numpy.save of array([1, -2], float32)
  std::string expected =
      std::string("\x93NUMPY\x01\x00\x76\x00", 10) + "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  expected += std::string(127 - expected.size(), ' ') + "\n" + std::string("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);
  RULE_EQ("NPY-8", expected, to_npy(t));
}

TEST(Npy, EveryVersionOfTheFormatIsRead) {
  const std::string two = std::string("\x01\x00\x02\x00", 4);
  for (const char major : {'\1', '\2', '\3'}) {
    const auto t = from_npy(file(dictionary("<i2", "(2,)"), two, major), Type::i16, "a.npy");
    RULE_TRUE("NPY-1", t.has_value() && t->get(0).bits == 1 && t->get(1).bits == 2);
  }
  // Other ways to write the same dictionary.
  for (const char* d : {"{\"shape\":(2L,),\"descr\":\"<i2\",\"fortran_order\":False}",
                        "{ 'fortran_order' : False , 'descr' : '<i2' , 'shape' : ( 2 , ) } "}) {
    RULE_TRUE("NPY-1", from_npy(file(d, two), Type::i16, "a.npy").has_value()) << d;
  }
  RULE_TRUE("NPY-1", from_npy(file(dictionary("<f4", "()"), std::string(4, '\0')), Type::f32, "a.npy").has_value());
  const auto nan = from_npy(file(dictionary("<f4", "(1,)"), std::string("\x01\x02\xa3\xff", 4)), Type::f32, "a.npy");
  RULE_TRUE("NPY-1", nan.has_value() && nan->get(0).bits == 0xffa30201U);
}

TEST(Npy, Bfloat16TravelsAsUnsignedIntegers) {
  Tensor t(Type::bf16, {2});
  t.set(0, {Type::bf16, 0x3f80});
  t.set(1, {Type::bf16, 0xc000});
  const std::string bytes = to_npy(t);
  RULE_TRUE("NPY-2", bytes.find("'<u2'") != std::string::npos);
  const auto untyped = from_npy(bytes, std::nullopt, "a.npy");
  RULE_TRUE("NPY-2", untyped.has_value() && untyped->type == Type::u16 && untyped->bytes == t.bytes);
  const std::string elements(bytes.substr(bytes.size() - 4));
  for (const char* descr : {"<V2", "|V2"}) {
    const auto typed = from_npy(file(dictionary(descr, "(2,)"), elements), Type::bf16, "a.npy");
    RULE_TRUE("NPY-2", typed.has_value() && *typed == t);
    RULE_EQ("NPY-2", "NPY-5", refusal(file(dictionary(descr, "(2,)"), elements)));
  }
  RULE_EQ("NPY-5", "NPY-5", refusal(file(dictionary("<f2", "(2,)"), elements), Type::bf16));
}

TEST(Npy, FloatsOfEightBitsTravelAsBytes) {
  for (const Type type : {Type::f8e5m2, Type::f8e4m3fn}) {
    Tensor t(type, {2});
    t.set(0, {type, 0x3c});
    t.set(1, {type, 0xff});
    const std::string bytes = to_npy(t);
    RULE_TRUE("NPY-10", bytes.find("'|u1'") != std::string::npos);
    const auto untyped = from_npy(bytes, std::nullopt, "a.npy");
    RULE_TRUE("NPY-10", untyped.has_value() && untyped->type == Type::u8 && untyped->bytes == t.bytes);
    const std::string elements(bytes.substr(bytes.size() - 2));
    for (const char* descr : {"<V1", "|V1", "<f1"}) {
      const bool own = type == Type::f8e5m2 || std::string(descr) != "<f1";
      const auto typed = from_npy(file(dictionary(descr, "(2,)"), elements), type, "a.npy");
      RULE_TRUE("NPY-10", own ? typed.has_value() && *typed == t : !typed.has_value()) << descr;
      RULE_EQ("NPY-10", "NPY-5", refusal(file(dictionary(descr, "(2,)"), elements)));
    }
    RULE_EQ("NPY-10", "NPY-5", refusal(file(dictionary("|i1", "(2,)"), elements), type));
  }
}

TEST(Npy, BlocksTravelAsFourWords) {
  Tensor t(Type::u32x4, {2, 1});
  t.set(0, {Type::u32x4, 0x0000000200000001, 0x0000000400000003});
  t.set(1, {Type::u32x4, 0x0000000600000005, 0x0000000800000007});
  const std::string bytes = to_npy(t);
  RULE_TRUE("NPY-11", bytes.find("'<u4'") != std::string::npos && bytes.find("(2, 1, 4)") != std::string::npos);
  const auto back = from_npy(bytes, Type::u32x4, "a.npy");
  RULE_TRUE("NPY-11", back.has_value() && *back == t);
  const auto words = from_npy(bytes, std::nullopt, "a.npy");
  RULE_TRUE("NPY-11",
            words.has_value() && words->type == Type::u32 && words->dims == (std::vector<std::int64_t>{2, 1, 4}));
  const std::string payload = bytes.substr(bytes.size() - 32);
  RULE_EQ("NPY-11", "NPY-5", refusal(file(dictionary("<u4", "(4, 2)"), payload), Type::u32x4));
  RULE_EQ("NPY-11", "NPY-5", refusal(file(dictionary("<u4", "()"), payload.substr(0, 4)), Type::u32x4));
  RULE_EQ("NPY-11", "NPY-5", refusal(file(dictionary("<i4", "(2, 4)"), payload), Type::u32x4));
  std::string big = payload, columns;
  for (std::size_t i = 0; i < 32; i += 4)
    std::reverse(big.begin() + static_cast<std::ptrdiff_t>(i), big.begin() + static_cast<std::ptrdiff_t>(i) + 4);
  for (std::size_t k = 0; k < 8; ++k) columns += payload.substr((k % 2 * 4 + k / 2) * 4, 4);
  Tensor flat = t;
  flat.dims = {2};
  const auto of_big = from_npy(file(dictionary(">u4", "(2, 4)"), big), Type::u32x4, "a.npy");
  const auto of_columns = from_npy(file(dictionary("<u4", "(2, 4)", "True"), columns), Type::u32x4, "a.npy");
  RULE_TRUE("NPY-11", of_big.has_value() && *of_big == flat && of_columns.has_value() && *of_columns == flat);
}

TEST(Npy, BoolIsZeroOrOne) {
  const auto t = from_npy(file(dictionary("|b1", "(2,)"), std::string("\x00\x01", 2)), std::nullopt, "a.npy");
  RULE_TRUE("NPY-3", t.has_value() && t->type == Type::boolean && t->get(1).bits == 1);
  RULE_EQ("NPY-3", "NPY-3", refusal(file(dictionary("|b1", "(2,)"), std::string("\x00\x02", 2))));
}

TEST(Npy, OtherOrdersAreConverted) {
  // The matrix 1 2 3 / 4 5 6.
  const std::string big("\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06", 12),
      columns("\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06\x00", 12),
      both("\x00\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06", 12);
  for (const std::string& bytes :
       {file(dictionary(">i2", "(2, 3)"), big), file(dictionary("<i2", "(2, 3)", "True"), columns),
        file(dictionary(">i2", "(2, 3)", "True"), both)}) {
    const auto t = from_npy(bytes, Type::i16, "a.npy");
    ASSERT_TRUE(t.has_value());
    for (std::int64_t i = 0; i < 6; ++i) RULE_EQ("NPY-4", static_cast<std::uint64_t>(i + 1), t->get(i).bits);
  }
}

TEST(Npy, OtherTypesAreRefused) {
  const std::string eight(8, '\0');
  RULE_EQ("NPY-5", "NPY-5", refusal(file(dictionary("<f8", "(1,)"), eight), Type::f32));
  RULE_EQ("NPY-5", "NPY-5", refusal(file(dictionary("<i8", "(1,)"), eight), Type::u64));
  const auto error = from_npy(file(dictionary("<f8", "(1,)"), eight), Type::f32, "a.npy");
  RULE_TRUE("NPY-5", error.error()[0].message.find("f64") != std::string::npos &&
                         error.error()[0].message.find("f32") != std::string::npos);
  for (const char* descr : {"<c8", "|O", "<U2", "|S8", "<M8[ns]", "<f16", "f3", "", "<", "nonsense"}) {
    RULE_TRUE("NPY-5", refusal(file(dictionary(descr, "(1,)"), eight)) == "NPY-5") << descr;
  }
}

TEST(Npy, MalformedFilesAreRefused) {
  const std::string good = file(dictionary("<f4", "(2,)"), std::string(8, '\0'));
  RULE_EQ("NPY-6", "", refusal(good));
  for (std::size_t length = 0; length < good.size(); ++length)
    RULE_EQ("NPY-6", "NPY-6", refusal(good.substr(0, length)));
  RULE_EQ("NPY-6", "NPY-6", refusal(good + "x"));
  RULE_EQ("NPY-6", "NPY-6", refusal("PK\x03\x04 an archive"));
  RULE_EQ("NPY-6", "NPY-6", refusal(file(dictionary("<f4", "(2,)"), std::string(8, '\0'), '\4')));
  const std::string payload(8, '\0');
  for (const std::string& d :
       {std::string("{}"), std::string("{'descr': '<f4'}"), std::string("[1]"),
        std::string("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"),
        std::string("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': 2}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2 2)}"), dictionary("<f4", "(2,)") + "x",
        std::string("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'extra': '1'}"),
        dictionary("|f4", "(2,)")}) {
    RULE_TRUE("NPY-6", refusal(file(d, payload)) == "NPY-6") << d;
  }
}

TEST(Npy, HugeClaimsAllocateNothing) {
  for (const char* shape : {"(1000000000000,)", "(9223372036854775807, 9223372036854775807)",
                            "(4294967296, 4294967296, 0)", "(99999999999999999999,)"}) {
    RULE_TRUE("NPY-7", refusal(file(dictionary("<f8", shape), "")) == "NPY-7") << shape;
  }
  RULE_EQ("NPY-6", "NPY-6", refusal(file(dictionary("|u1", "(2000000000,)"), "x")));
  std::string many = "(";
  for (int i = 0; i < 33; ++i) many += "1, ";
  RULE_EQ("NPY-7", "NPY-7", refusal(file(dictionary("<f4", many + ")"), std::string(4, '\0'))));
  const std::string long_header = std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12) + "{";
  RULE_EQ("NPY-7", "NPY-7", refusal(long_header));
}

/// Any change of any byte gives a tensor or a refusal, never a crash.
TEST(Npy, DamagedFilesAreReadOrRefused) {
  const std::string good = to_npy(filled(Type::i16, {3, 2}));
  interp::Random random(6);
  int read = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (std::uint64_t k = 0; k <= random.below(3); ++k)
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    const auto t = from_npy(bytes, std::nullopt, "a.npy");
    (t ? read : refused) += 1;
    RULE_TRUE("NPY-7", !t || t->bytes.size() <= bytes.size());
  }
  RULE_TRUE("NPY-6", read > 100 && refused > 100) << read << " read, " << refused << " refused";
}

TEST(Npy, FilesOnDisk) {
  const std::string path = std::string(ASSAY_BINARY_DIR) + "/npy_test.npy";
  const Tensor t = filled(Type::f64, {4, 4});
  std::ofstream(path, std::ios::binary) << to_npy(t);
  const auto back = interp::read_npy(path, Type::f64);
  RULE_TRUE("NPY-8", back.has_value() && *back == t);
  std::remove(path.c_str());
  for (const std::string& missing : {path, std::string(ASSAY_BINARY_DIR)}) {  // gone; a folder
    const auto error = interp::read_npy(missing, Type::f64);
    RULE_TRUE("NPY-9", !error && error.error()[0].code == "NPY-9" && error.error()[0].file == missing);
  }
}

}  // namespace
}  // namespace assay::test
