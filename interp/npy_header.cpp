// A small strict reader of the one form of dictionary that .npy headers have.
#include "interp/npy_header.hpp"

#include <fmt/format.h>

#include <optional>

namespace assay::interp {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 65536;
constexpr std::size_t most_dimensions = 32;  // NumPy's own limit

tl::unexpected<std::vector<Diagnostic>> malformed(std::string message) {
  return fail({"NPY-6", std::move(message), {}, "write the file with numpy.save", {}});
}
tl::unexpected<std::vector<Diagnostic>> too_large(std::string message) {
  return fail({"NPY-7", std::move(message), {}, {}, {}});
}

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`. Each reader leaves the position after what it
/// read.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : text_(text) {}

  Result<NpyHeader> read() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!take('{')) return malformed("the header is not a dictionary");
    while (!take('}')) {
      const auto key = string();
      if (!key || !take(':')) return malformed("the header is not a dictionary of named values");
      if (*key == "descr" && !has_descr) {
        if (peek() == '[') return malformed("the file holds records (a structured type), not numbers");
        const auto value = string();
        if (!value) return malformed("`descr` in the header is not a string");
        header.descr = *value;
        has_descr = true;
      } else if (*key == "fortran_order" && !has_order) {
        if (word("True")) {
          header.fortran_order = true;
        } else if (!word("False")) {
          return malformed("`fortran_order` in the header is neither True nor False");
        }
        has_order = true;
      } else if (*key == "shape" && !has_shape) {
        if (auto problem = shape(header.shape)) return tl::unexpected(std::move(*problem));
        has_shape = true;
      } else {
        return malformed(fmt::format("the header has an unknown or a second key `{}`", printable(*key)));
      }
      if (!take(',') && peek() != '}') return malformed("the header's dictionary does not end");
    }
    if (!has_descr || !has_order || !has_shape)
      return malformed("the header lacks `descr`, `fortran_order` or `shape`");
    if (peek() != '\0' || at_ < text_.size()) return malformed("there is something after the header's dictionary");
    return header;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (at_ >= text_.size() || peek() != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    skip_blanks();
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  std::optional<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  std::optional<std::vector<Diagnostic>> shape(std::vector<std::int64_t>& dims) {
    if (!take('(')) return malformed("`shape` in the header is not a tuple").value();
    bool comma = true;
    while (!take(')')) {
      const char digit = peek();
      if (!comma || digit < '0' || digit > '9')
        return malformed("`shape` in the header is not a tuple of sizes").value();
      std::int64_t size = 0;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
        const int d = text_[at_++] - '0';
        if (size > (INT64_MAX - d) / 10) return too_large("a size in `shape` is beyond 64 bits").value();
        size = 10 * size + d;
      }
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2
      dims.push_back(size);
      if (dims.size() > most_dimensions)
        return too_large(fmt::format("the array has more than {} dimensions", most_dimensions)).value();
      comma = take(',');
    }
    return std::nullopt;
  }
  static std::string printable(std::string_view s) {
    std::string result;
    for (const char c : s.substr(0, 32)) result += c >= ' ' && c <= '~' ? c : '?';
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view bytes) {
  if (bytes.substr(0, magic.size()) != magic)
    return malformed("this is not a .npy file: it does not begin with \\x93NUMPY");
  if (bytes.size() < 8) return malformed("the file ends inside its header");
  const int major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    return malformed(fmt::format("version {}.{} of the .npy format is unknown", major, minor));
  const std::size_t length_size = major == 1 ? 2 : 4, begin = 8 + length_size;
  if (bytes.size() < begin) return malformed("the file ends inside its header");
  const std::size_t length = little_endian(bytes.substr(8, length_size));
  if (length > longest_header)
    return too_large(fmt::format("the header claims {} bytes; {} is the most that is read", length, longest_header));
  if (bytes.size() - begin < length) return malformed("the file ends inside its header");
  auto header = DictionaryReader(bytes.substr(begin, length)).read();
  if (header) header->payload = begin + length;
  return header;
}

}  // namespace assay::interp
