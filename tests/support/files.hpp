// A private temporary directory, and whole files in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::test {

/// Made on construction (in TMPDIR or /tmp, readable by nobody else), removed with its files on destruction.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  /// Whether it could be made.
  explicit operator bool() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

bool write_file(const std::string& path, std::string_view text);
/// The first `limit` bytes; empty when it cannot be read.
std::string read_file(const std::string& path, std::size_t limit);

}  // namespace assay::test
