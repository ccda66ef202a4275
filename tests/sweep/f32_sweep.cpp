// The program behind scripts/long-tests.sh: sweeps an operation over all f32, keeps the hashes, or checks them.
//
//   f32_sweep list                  the names of the operations, and whether hashes of them are kept
//   f32_sweep record NAME FILE      hashes of the interpreter's arithmetic, appended to FILE as they come: a run that was
//                                   interrupted goes on where the file ends
//   f32_sweep check NAME [BACKEND]  recomputes every kept hash: `interp`, a compiler by name
//                                   (`c`, `c-O3`, `clang-v3`, `simt`, …), or interp and all compilers at their usual level
//   f32_sweep compare NAME BLOCK    the arguments of one block at which a compiler's results are not the interpreter's
//
// Exit status: 0 all equal, 1 something differs, 2 the command line is wrong or nothing is kept.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "direct.hpp"

namespace {

using namespace assay;
using sweep::block_count;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

int record(const sweep::Subject& s, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  const auto done = static_cast<std::uint64_t>(file.tellp());
  if (!file || done % 8 != 0 || done / 8 > block_count) {
    fmt::print(stderr, "{} cannot be written, or is no file of hashes\n", path);
    return 2;
  }
  const auto start = Clock::now();
  for (std::uint64_t block = done / 8; block < block_count; ++block) {
    const std::uint64_t h = sweep::interpreted_hash(s, block);
    file.write(reinterpret_cast<const char*>(&h), 8);
    file.flush();
    if (!file) return 2;
  }
  fmt::print("{}: blocks {} to {} recorded in {:.0f} s\n", s.name, done / 8, block_count - 1, seconds_since(start));
  return 0;
}

template <typename Hash>
int check_with(const sweep::Subject& s, const std::string& who, const std::vector<std::uint64_t>& kept, Hash hash) {
  const auto start = Clock::now();
  int wrong = 0;
  for (std::uint64_t block = 0; block < block_count; ++block) {
    if (hash(block) == kept[block]) continue;
    if (++wrong <= 5)
      fmt::print("{} by {}: block {} differs (arguments {:#x} …)\n", s.name, who, block, block << sweep::block_bits);
  }
  fmt::print("{} by {}: {} of {} blocks differ, {:.0f} s\n", s.name, who, wrong, block_count, seconds_since(start));
  return wrong == 0 ? 0 : 1;
}

int check(const sweep::Subject& s, const std::string& backend) {
  const auto kept = sweep::kept_hashes(s);
  if (!kept) {
    fmt::print("{}: no sweep is kept\n", s.name);
    return 2;
  }
  int status = 0;
  bool known = backend.empty() || backend == "interp";
  if (known)
    status |=
        check_with(s, "interp", *kept, [&](std::uint64_t b) { return std::optional(sweep::interpreted_hash(s, b)); });
  std::vector<codegen::CompilerSpec> compilers = codegen::available_compilers();
  if (!backend.empty()) {
    for (const codegen::CompilerSpec& level : codegen::compiler_levels()) compilers.push_back(level);
  }
  for (const codegen::CompilerSpec& device : codegen::device_compilers()) {
    if (device.dialect == codegen::Dialect::simt) compilers.push_back(device);
  }
  for (const codegen::CompilerSpec& compiler : compilers) {
    if (!backend.empty() && backend != compiler.name) continue;
    known = true;
    std::string error;
    const auto direct = compiler.command == "tcc" ? nullptr : sweep::Direct::make(s, compiler, error);
    const auto compiled = direct ? std::nullopt : sweep::Compiled::make(s, compiler, error);
    if (!direct && !compiled) {
      fmt::print("{} by {}: {}\n", s.name, compiler.name, error);
      status |= 1;
      continue;
    }
    status |= check_with(s, compiler.name, *kept, [&](std::uint64_t b) {
      if (direct) return direct->hash(b);
      const auto results = compiled->results(b, error);
      return results ? std::optional(sweep::hash(*results)) : std::nullopt;
    });
  }
  if (!known) fmt::print(stderr, "there is no backend `{}`\n", backend);
  return known ? status : 2;
}

int compare(const sweep::Subject& s, std::uint64_t block) {
  const Tensor expected = sweep::interpreted(s, block);
  int status = 0;
  for (const codegen::CompilerSpec& compiler : codegen::available_compilers()) {
    std::string error;
    const auto compiled = sweep::Compiled::make(s, compiler, error);
    const auto actual = compiled ? compiled->results(block, error) : std::nullopt;
    if (!actual) {
      fmt::print("{} by {}: {}\n", s.name, compiler.name, error);
      status = 1;
      continue;
    }
    int shown = 0;
    for (std::int64_t i = 0; i < expected.size(); ++i) {
      if (same_value(expected.get(i), actual->get(i))) continue;
      status = 1;
      if (++shown <= 20)
        fmt::print("{} by {}: {:#010x}: interp {:#x}, {} {:#x}\n", s.name, compiler.name,
                   block << sweep::block_bits | static_cast<std::uint64_t>(i), expected.get(i).bits, compiler.name,
                   actual->get(i).bits);
    }
    fmt::print("{} by {}: {} results of block {} differ\n", s.name, compiler.name, shown, block);
  }
  return status;
}

int usage() {
  std::fputs("usage: f32_sweep list | record NAME FILE | check NAME [BACKEND] | compare NAME BLOCK\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "list") {
    for (const auto& s : sweep::subjects()) fmt::print("{} {}\n", s.name, sweep::kept_hashes(s) ? "kept" : "-");
    return 0;
  }
  if (words.size() < 2) return usage();
  const sweep::Subject* s = sweep::find_subject(words[1]);
  if (s == nullptr) return usage();
  if (words[0] == "record" && words.size() == 3) return record(*s, words[2]);
  if (words[0] == "check" && words.size() <= 3) return check(*s, words.size() == 3 ? words[2] : "");
  if (words[0] == "compare" && words.size() == 3)
    return compare(*s, std::strtoull(words[2].c_str(), nullptr, 10) % block_count);
  return usage();
}
