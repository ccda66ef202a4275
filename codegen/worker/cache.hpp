// Compiled units kept in the file system, by what they were made from (CGEN-32 to CGEN-35).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::codegen {

/// SHA-256 in lower-case hexadecimal.
std::string digest_of(std::string_view content);

class UnitCache {
 public:
  /// A cache in `folder` (empty: no cache; nothing is found and nothing kept) of at most `limit` bytes.
  UnitCache(std::string folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  /// $ASSAY_CACHE, else $XDG_CACHE_HOME/assay or $HOME/.cache/assay; `ASSAY_CACHE=off` means none, and so does a folder that
  /// belongs to another user or that others may write to. $ASSAY_CACHE_MIB (256) is the limit.
  static UnitCache from_environment();

  /// What was stored under `key`, a digest. An entry whose content is not what was stored is removed.
  std::optional<std::string> find(const std::string& key) const;
  /// Keeps `content`, whole or not at all, and removes the entries used longest ago while there is too much. Failures are
  /// silent: the cache then simply holds less.
  void store(const std::string& key, std::string_view content) const;

 private:
  std::string shelf(const std::string& key) const;
  void shrink(const std::string& shelf) const;

  std::string folder_;
  std::uint64_t limit_;
};

}  // namespace assay::codegen
