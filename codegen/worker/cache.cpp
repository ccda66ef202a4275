// One file for each unit, on sixteen shelves by the first digit of the key; every shelf keeps to its sixteenth of the limit, so
// that a store looks through few files. A file begins with the digest of the rest: what a crash, a full disk or anything else
// made of it is noticed. Files appear by linking or renaming; two processes that store one unit store the same bytes.
#include "codegen/worker/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nettle/sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "codegen/worker/process.hpp"

namespace assay::codegen {
namespace {

constexpr std::string_view mark = "assay unit 1 ";
constexpr std::uint64_t shelves = 16, default_mebibytes = 256;
constexpr std::chrono::hours stale{1};  // nobody takes that long to write a file

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string head_of(std::string_view content) { return fmt::format("{}{}\n", mark, digest_of(content)); }

/// A private folder of this user, made when it is not there.
bool prepare(const std::string& folder) {
  std::error_code error;
  const auto parent = std::filesystem::path(folder).parent_path();
  std::filesystem::create_directories(parent, error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::string digest_of(std::string_view content) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, content.size(), reinterpret_cast<const std::uint8_t*>(content.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

UnitCache UnitCache::from_environment() {
  std::uint64_t mebibytes = default_mebibytes;
  if (const std::string wanted = variable("ASSAY_CACHE_MIB"); !wanted.empty())
    mebibytes = std::strtoull(wanted.c_str(), nullptr, 10);
  std::string folder = variable("ASSAY_CACHE");
  if (folder == "off") return {"", 0};
  if (folder.empty()) {
    const std::string base = variable("XDG_CACHE_HOME"), home = variable("HOME");
    if (!base.empty()) {
      folder = base + "/assay";
    } else if (!home.empty()) {
      folder = home + "/.cache/assay";
    }
  }
  if (folder.empty() || folder.front() != '/' || !prepare(folder)) return {"", 0};
  return {folder, mebibytes << 20};
}

std::string UnitCache::shelf(const std::string& key) const { return folder_ + "/" + key.substr(0, 1); }

std::optional<std::string> UnitCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = shelf(key) + "/" + key;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return std::nullopt;
  std::optional<std::string> entry = content_of(file.get());
  constexpr std::size_t head = mark.size() + 64 + 1;
  if (!entry || entry->size() < head || entry->substr(0, head) != head_of(std::string_view(*entry).substr(head))) {
    ::unlink(path.c_str());
    return std::nullopt;
  }
  ::futimens(file.get(), nullptr);  // used now
  return entry->substr(head);
}

void UnitCache::store(const std::string& key, std::string_view content) const {
  const std::string here = shelf(key), path = here + "/" + key;
  if (folder_.empty() || content.size() > limit_ / shelves || !prepare(here)) return;
  const std::string head = head_of(content);
  // A file without a name goes by itself when this process ends early. Where there are none, one that `shrink` finds later.
  const Descriptor nameless(::open(here.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (nameless) {
    if (write_all(nameless.get(), head) && write_all(nameless.get(), content))
      ::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", nameless.get()).c_str(), AT_FDCWD, path.c_str(),
               AT_SYMLINK_FOLLOW);
  } else {
    std::string temporary = here + "/new-XXXXXX";
    const Descriptor named(::mkostemp(temporary.data(), O_CLOEXEC));
    const bool written = named && write_all(named.get(), head) && write_all(named.get(), content);
    if (named && (!written || ::rename(temporary.c_str(), path.c_str()) != 0)) ::unlink(temporary.c_str());
  }
  shrink(here);
}

void UnitCache::shrink(const std::string& shelf) const {
  struct Entry {
    timespec used{};
    std::uint64_t bytes = 0;
    std::string path{};
  };
  std::vector<Entry> entries;
  std::uint64_t sum = 0;
  std::error_code error;
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const auto& found : std::filesystem::directory_iterator(shelf, error)) {
    struct stat status {};
    const std::string path = found.path().string();
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (found.path().filename().string().rfind("new-", 0) == 0) {
      if (status.st_mtim.tv_sec < now - std::chrono::seconds(stale).count()) ::unlink(path.c_str());
      continue;
    }
    entries.push_back({status.st_mtim, static_cast<std::uint64_t>(status.st_size), path});
    sum += entries.back().bytes;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
    return a.used.tv_nsec != b.used.tv_nsec ? a.used.tv_nsec < b.used.tv_nsec : a.path < b.path;
  });
  for (const Entry& e : entries) {
    if (sum <= limit_ / shelves) break;
    ::unlink(e.path.c_str());
    sum -= e.bytes;
  }
}

}  // namespace assay::codegen
