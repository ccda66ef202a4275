// Files.
#include "oracle/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace assay::oracle {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code e;
  return fs::exists(path, e) && !fs::is_directory(path, e);
}

/// An open file.
struct Handle {
  int fd = -1;
  explicit Handle(int descriptor) : fd(descriptor) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (fd >= 0) ::close(fd);
  }
  /// Closes it; some file systems say only here that there is no room.
  bool close() { return ::close(std::exchange(fd, -1)) == 0; }
};

/// False with errno set.
bool write_all(int file, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t n = ::write(file, contents.data(), contents.size());
    if (n > 0) contents.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) return false;
  }
  return true;
}

/// The contents under the name `beside`, with these permissions (0: those of new files); false with errno set. Where the file
/// system can, the file has no name while it is written: whoever is killed meanwhile leaves nothing.
bool put_beside(const std::string& beside, mode_t mode, std::string_view contents) {
  const std::string folder = fs::path(beside).parent_path().string();
  for (const bool nameless : {true, false}) {
    Handle file(nameless ? ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
                         : ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.fd < 0) continue;
    if ((mode != 0 && ::fchmod(file.fd, mode) != 0) || !write_all(file.fd, contents)) return false;
    if (!nameless) return file.close();
    std::remove(beside.c_str());
    const std::string link = fmt::format("/proc/self/fd/{}", file.fd);
    if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, beside.c_str(), AT_SYMLINK_FOLLOW) == 0) return file.close();
  }
  return false;
}

template <typename T>
Result<T> pick(const std::vector<T>& all, const NamedSource& source, std::string_view noun) {
  if (source.name.empty() && !all.empty()) return all.front();
  std::vector<std::string> names;
  for (const T& one : all) {
    if (one.name == source.name) return one;
    names.push_back(one.name);
  }
  if (all.empty())
    return fail({"CLI-6", fmt::format("{} holds no {}", source.file.path, noun), {}, {}, source.file.path});
  const std::string close = suggest(source.name, names);
  return fail(
      {"CLI-6",
       fmt::format("{} holds no {} `{}`", source.file.path, noun, source.name),
       {},
       close.empty() ? fmt::format("it holds {}", fmt::join(names, ", ")) : fmt::format("did you mean `{}`?", close),
       source.file.path});
}

}  // namespace

std::optional<std::string> write_file(const std::string& path, std::string_view contents) {
  const auto failed = [&] { return fmt::format("cannot write {}: {}", path, std::strerror(errno)); };
  // A link is followed: what it names is replaced, not the link. A device or a pipe cannot be replaced, only written to.
  std::error_code e;
  const fs::path canonical = fs::weakly_canonical(path, e);
  std::string place = e || path.empty() ? path : canonical.string();
  if (fs::is_symlink(fs::symlink_status(place, e)))  // still a link: what it names is not there yet
    place = (fs::path(place).parent_path() / fs::read_symlink(place, e)).string();
  const fs::file_status there = fs::status(place, e);
  if (fs::is_directory(there)) return fmt::format("cannot write {}: it is a folder", path);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    Handle file(::open(place.c_str(), O_WRONLY | O_CLOEXEC));
    const bool written = file.fd >= 0 && write_all(file.fd, contents) && file.close();
    return written ? std::nullopt : std::optional(failed());
  }
  const std::string beside = fmt::format("{}.{}.part", place, getpid());
  const mode_t mode = fs::is_regular_file(there) ? static_cast<mode_t>(there.permissions()) : mode_t{0};
  if (!put_beside(beside, mode, contents) || std::rename(beside.c_str(), place.c_str()) != 0) {
    const std::string why = failed();
    std::remove(beside.c_str());
    return why;
  }
  return std::nullopt;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const auto failed = [&] {
    const std::string why = std::strerror(errno);
    return fail({"CLI-6", fmt::format("cannot read {}: {}", path == "-" ? "standard input" : path, why), {}, {}, {}});
  };
  if (path.empty()) return fail({"CLI-6", "the name of a file is empty", {}, {}, {}});
  std::error_code e;
  if (fs::is_directory(path, e)) return fail({"CLI-6", fmt::format("{} is a folder", path), {}, {}, {}});
  // System calls: a stream does not tell a failed read from the end, and half a schedule may well be a legal one.
  const Handle own(path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (path != "-" && own.fd < 0) return failed();
  const int file = path == "-" ? STDIN_FILENO : own.fd;
  std::string text;
  std::vector<char> chunk(1 << 16);
  ssize_t got = 0;
  while (text.size() <= limit) {  // the parser says what is wrong with a text beyond the limit
    got = ::read(file, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  if (got < 0) return failed();
  return text;
}

/// Beyond what the parser takes of either form; it says what is wrong with a longer text.
constexpr std::size_t read_limit = (std::size_t{16} << 20) + 1;

Result<NamedText> open_source(const std::string& argument) {
  NamedText out{argument, {}, {}};
  const std::size_t colon = argument.rfind(':');
  if (argument != "-" && !is_file(argument) && colon != std::string::npos && colon > 0) {
    out.path = argument.substr(0, colon);
    out.name = argument.substr(colon + 1);
    if (out.name.empty() && is_file(out.path)) {
      return fail({"CLI-13",
                   fmt::format("{} names nothing after the colon", argument),
                   {},
                   fmt::format("{0} or {0}:NAME", out.path),
                   {}});
    }
    if (!is_file(out.path)) out = {argument, {}, {}};  // the message then names what was asked for
  }
  auto text = read_file(out.path, read_limit);
  if (!text) return tl::unexpected(text.error());
  out.text = std::move(*text);
  return out;
}

Result<NamedSource> parse_named(const NamedText& source) {
  auto file = parse_source(source.text, source.path);
  if (file) return NamedSource{std::move(*file), source.name};
  std::vector<Diagnostic> all = file.error();
  for (Diagnostic& d : all) {
    if (d.file.empty()) d.file = source.path;
  }
  return tl::unexpected(std::move(all));
}

Result<NamedSource> load_source(const std::string& argument) {
  const auto text = open_source(argument);
  if (!text) return tl::unexpected(text.error());
  return parse_named(*text);
}

Result<Program> pick_program(const NamedSource& source) { return pick(source.file.programs, source, "program"); }
Result<Schedule> pick_schedule(const NamedSource& source) { return pick(source.file.schedules, source, "schedule"); }

}  // namespace assay::oracle
