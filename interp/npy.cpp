// Element types of .npy files, and the copy between a file's order of bytes and elements and a tensor's.
#include "interp/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "interp/npy_header.hpp"

namespace assay::interp {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors and files are little-endian");

/// What NumPy calls the types, without the byte order. Types that it has not travel as the integers of their bits, and are
/// never found by their code, which comes after the integer's own.
constexpr std::array<std::pair<Type, std::string_view>, 16> type_codes{{{Type::boolean, "b1"},
                                                                        {Type::f64, "f8"},
                                                                        {Type::f32, "f4"},
                                                                        {Type::f16, "f2"},
                                                                        {Type::i8, "i1"},
                                                                        {Type::i16, "i2"},
                                                                        {Type::i32, "i4"},
                                                                        {Type::i64, "i8"},
                                                                        {Type::u8, "u1"},
                                                                        {Type::u16, "u2"},
                                                                        {Type::u32, "u4"},
                                                                        {Type::u64, "u8"},
                                                                        {Type::bf16, "u2"},
                                                                        {Type::f8e5m2, "u1"},
                                                                        {Type::f8e4m3fn, "u1"},
                                                                        {Type::u32x4, "u4"}}};

std::string_view type_code(Type t) {
  return std::find_if(type_codes.begin(), type_codes.end(), [t](const auto& entry) { return entry.first == t; })
      ->second;
}

/// The integer type of whose elements a file of a type that NumPy has not consists; the type itself for all others.
Type carrier(Type t) {
  if (t == Type::bf16) return Type::u16;
  if (is_f8(t)) return Type::u8;
  return t == Type::u32x4 ? Type::u32 : t;
}

/// Whether ml_dtypes writes arrays of type `t` under this code: it has no type of NumPy's to name.
bool is_extension_code(std::string_view code, Type t) {
  if (t == Type::bf16) return code == "V2";
  if (t == Type::f8e5m2) return code == "V1" || code == "f1";
  return t == Type::f8e4m3fn && code == "V1";
}

/// How elements lie in a file.
struct Encoding {
  Type type = Type::f32;
  bool big_endian = false;
};

tl::unexpected<std::vector<Diagnostic>> wrong(std::string code, std::string message, std::string help = {}) {
  return fail({std::move(code), std::move(message), {}, std::move(help), {}});
}

Result<Encoding> decode_type(const std::string& descr, std::optional<Type> as) {
  const bool ordered = !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
  const char order = ordered ? descr[0] : '=';
  const std::string code = descr.substr(ordered ? 1 : 0);
  if (as && is_extension_code(code, *as) && (order != '>' || byte_width(*as) == 1)) return Encoding{*as, false};
  if (code == "V2" || code == "V1" || code == "f1") {
    return wrong("NPY-5", fmt::format("the file holds elements without a type of NumPy's (`{}`)", descr),
                 code == "V2" ? "they are read only for a buffer of type bf16"
                              : "they are read only for a buffer of type f8e5m2 or f8e4m3fn");
  }
  const std::string_view known = code == "?" ? "b1" : std::string_view(code);
  const auto found =
      std::find_if(type_codes.begin(), type_codes.end(), [&](const auto& entry) { return entry.second == known; });
  if (found == type_codes.end()) {
    std::string shown;
    for (const char c : descr.substr(0, 16)) shown += c >= ' ' && c <= '~' ? c : '?';
    return wrong("NPY-5", fmt::format("elements of type `{}` are not supported", shown),
                 "convert the array to one of f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1 b1");
  }
  Type type = found->first;
  if (order == '|' && byte_width(type) > 1)
    return wrong("NPY-6", fmt::format("`{}` does not say the byte order", descr));
  if (as && carrier(*as) == type) type = *as;
  if (as && *as != type) {
    const std::string help = carrier(*as) != *as ? fmt::format("{} is read from {} that hold its bit patterns",
                                                               name(*as), name(carrier(*as)))
                                                 : fmt::format("convert the array with astype('{}')", type_code(*as));
    return wrong("NPY-5", fmt::format("the file holds {} and {} is wanted", name(type), name(*as)), help);
  }
  return Encoding{type, order == '>'};
}

/// Number of elements; nothing when it, or the product of the sizes that are not zero, is beyond the limit of a file.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& shape) {
  std::uint64_t product = 1;
  bool empty = false;
  for (const std::int64_t d : shape) {
    if (d == 0) {
      empty = true;
      continue;
    }
    const auto size = static_cast<std::uint64_t>(d);
    if (size > npy_size_limit / product) return std::nullopt;
    product *= size;
  }
  return empty ? 0 : product;
}

/// The offset in a column-major file of the element that a row-major tensor holds at `flat`.
std::size_t column_major_offset(std::int64_t flat, const std::vector<std::int64_t>& dims) {
  std::int64_t offset = 0, stride = 1;
  const std::vector<std::int64_t> cell = unflatten(flat, dims);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    offset += cell[i] * stride;
    stride *= dims[i];
  }
  return static_cast<std::size_t>(offset);
}

void copy_elements(std::string_view payload, const NpyHeader& header, bool big_endian, Tensor& to) {
  const auto width = static_cast<std::size_t>(byte_width(carrier(to.type)));
  if (!header.fortran_order && !big_endian) {
    if (!payload.empty()) std::memcpy(to.bytes.data(), payload.data(), payload.size());
    return;
  }
  const auto count = static_cast<std::int64_t>(payload.size() / width);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t from = header.fortran_order ? column_major_offset(i, header.shape) : static_cast<std::size_t>(i);
    unsigned char* element = to.bytes.data() + static_cast<std::size_t>(i) * width;
    std::memcpy(element, payload.data() + from * width, width);
    if (big_endian) std::reverse(element, element + width);
  }
}

Result<Tensor> decode(std::string_view bytes, std::optional<Type> as) {
  const auto header = parse_npy_header(bytes);
  if (!header) return tl::unexpected(header.error());
  const auto encoding = decode_type(header->descr, as);
  if (!encoding) return tl::unexpected(encoding.error());
  const auto count = element_count(header->shape);
  if (!count) return wrong("NPY-7", "the shape in the header has too many elements for a file");
  const std::string_view payload = bytes.substr(header->payload);
  const std::uint64_t expected = *count * static_cast<std::uint64_t>(byte_width(carrier(encoding->type)));
  if (payload.size() != expected) {
    return wrong("NPY-6",
                 fmt::format("the shape asks for {} bytes of elements and the file has {}", expected, payload.size()),
                 "the file is cut off, or holds more than one array");
  }
  std::vector<std::int64_t> dims = header->shape;
  if (encoding->type == Type::u32x4) {
    if (dims.empty() || dims.back() != 4)
      return wrong("NPY-5", "a tensor of u32x4 is wanted, and the last dimension of the file is not 4",
                   "a block is four uint32: a tensor of shape (n,) is a file of shape (n, 4)");
    dims.pop_back();
  }
  Tensor t(encoding->type, std::move(dims));
  copy_elements(payload, *header, encoding->big_endian, t);
  if (t.type == Type::boolean) {
    const auto bad = std::find_if(t.bytes.begin(), t.bytes.end(), [](unsigned char b) { return b > 1; });
    if (bad != t.bytes.end())
      return wrong("NPY-3", fmt::format("a bool element holds {}, neither 0 nor 1", static_cast<int>(*bad)));
  }
  return t;
}

struct Closer {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

/// The whole file, or why not. Reads in pieces, so that what cannot be measured (a pipe) is bounded too.
Result<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) return wrong("NPY-9", fmt::format("the file cannot be read: {}", std::strerror(errno)));
  std::string bytes;
  std::array<char, 65536> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    if (bytes.size() + got > npy_size_limit)
      return wrong("NPY-7", fmt::format("the file is larger than {} bytes", npy_size_limit));
    bytes.append(piece.data(), got);
  }
  if (std::ferror(file.get()) != 0)
    return wrong("NPY-9", fmt::format("the file cannot be read: {}", std::strerror(errno)));
  return bytes;
}

template <typename T>
Result<T> named(Result<T> result, const std::string& name) {
  if (!result) {
    for (Diagnostic& d : result.error()) d.file = name;
  }
  return result;
}

}  // namespace

Result<Tensor> from_npy(std::string_view bytes, std::optional<Type> as, const std::string& name) {
  return named(decode(bytes, as), name);
}

Result<Tensor> read_npy(const std::string& path, std::optional<Type> as) {
  const auto bytes = named(read_file(path), path);
  if (!bytes) return tl::unexpected(bytes.error());
  return from_npy(*bytes, as, path);
}

std::string to_npy(const Tensor& t) {
  std::string shape;
  std::vector<std::int64_t> dims = t.dims;
  if (t.type == Type::u32x4) dims.push_back(4);  // NPY-10
  for (const std::int64_t d : dims) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", d);
  if (dims.size() == 1) shape += ",";
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   byte_width(t.type) == 1 ? '|' : '<', type_code(t.type), shape);
  // Padded so that the elements begin at a multiple of 64 bytes, with a newline before them.
  constexpr std::size_t prefix = 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
  return bytes;
}

}  // namespace assay::interp
