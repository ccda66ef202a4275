// Files.
#include "oracle/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include <fmt/format.h>

namespace assay::oracle {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code e;
  return fs::exists(path, e) && !fs::is_directory(path, e);
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
  const std::string beside = fmt::format("{}.{}.part", path, getpid());
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  if (out) out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  out.close();
  if (!out) {
    const std::string why = std::strerror(errno);
    std::remove(beside.c_str());
    return fmt::format("cannot write {}: {}", path, why);
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(beside.c_str());
    return fmt::format("cannot write {}: {}", path, why);
  }
  return std::nullopt;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  std::ifstream file;
  if (path != "-") {
    std::error_code e;
    if (fs::is_directory(path, e)) return fail({"CLI-6", fmt::format("{} is a folder", path), {}, {}, {}});
    file.open(path, std::ios::binary);
    if (!file) return fail({"CLI-6", fmt::format("cannot read {}: {}", path, std::strerror(errno)), {}, {}, {}});
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::string text;
  std::vector<char> chunk(1 << 16);
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || in.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > limit) break;  // the parser says what is wrong with a text beyond the limit
  }
  return text;
}

Result<NamedText> open_source(const std::string& argument) {
  NamedText out{argument, {}, {}};
  const std::size_t colon = argument.rfind(':');
  if (argument != "-" && !is_file(argument) && colon != std::string::npos && colon > 0) {
    out.path = argument.substr(0, colon);
    out.name = argument.substr(colon + 1);
  }
  auto text = read_file(out.path, max_source_bytes + 1);
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
