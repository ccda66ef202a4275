// The cache of compiled units: found again, rebuilt when damaged, limited, and never in the way.
#include "codegen/worker/cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "support.hpp"
#include "tests/support/files.hpp"

namespace assay::codegen::test {
namespace {
using assay::test::read_file;
using assay::test::TemporaryDirectory;
using assay::test::write_file;

namespace fs = std::filesystem;

constexpr std::uint64_t plenty = std::uint64_t{1} << 24;

std::string key_of(int n) { return digest_of("key " + std::to_string(n)); }

std::vector<fs::path> files_below(const std::string& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) found.push_back(entry.path());
  }
  return found;
}

TEST(Cache, DigestsAreThoseOfTheStandard) {
  RULE_EQ("CGEN-32", std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"), digest_of(""));
  RULE_EQ("CGEN-32", std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), digest_of("abc"));
}

TEST(Cache, DamagedEntriesAreRemoved) {
  const TemporaryDirectory folder;
  const UnitCache cache(folder.path(), plenty);
  const std::string content = "some\0bytes" + std::string(1000, 'x');
  RULE_TRUE("CGEN-33", !cache.find(key_of(1)));
  cache.store(key_of(1), content);
  RULE_EQ("CGEN-33", std::optional(content), cache.find(key_of(1)));
  const std::string whole = read_file(files_below(folder.path()).front().string(), 1 << 20);
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{77}, std::size_t{80}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    for (const std::string& text : {damaged, whole.substr(0, at)}) {
      write_file(files_below(folder.path()).front().string(), text);
      RULE_TRUE("CGEN-33", !cache.find(key_of(1))) << at;
      RULE_TRUE("CGEN-33", files_below(folder.path()).empty());
      cache.store(key_of(1), content);
      RULE_EQ("CGEN-33", std::optional(content), cache.find(key_of(1)));
    }
  }
}

TEST(Cache, TheEntryUsedLongestAgoGoesFirst) {
  const TemporaryDirectory folder;
  const UnitCache cache(folder.path(), 16 * 4000);  // 4000 bytes for each first digit
  std::vector<std::string> keys;
  for (int n = 0; keys.size() < 4; ++n) {
    if (key_of(n)[0] == 'a') keys.push_back(key_of(n));
  }
  const std::string content(1100, 'c');
  for (std::size_t i = 0; i < 3; ++i) cache.store(keys[i], content);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  RULE_TRUE("CGEN-34", cache.find(keys[0]).has_value());  // used again: now 1 is the oldest
  cache.store(keys[3], content);
  RULE_EQ("CGEN-34", (std::vector<bool>{true, false, true, true}),
          (std::vector<bool>{cache.find(keys[0]).has_value(), cache.find(keys[1]).has_value(),
                             cache.find(keys[2]).has_value(), cache.find(keys[3]).has_value()}));
  cache.store(keys[1], std::string(5000, 'c'));
  RULE_TRUE("CGEN-34", !cache.find(keys[1]) && cache.find(keys[0]));
}

TEST(Cache, ManyProcessesStoreTheSame) {
  const TemporaryDirectory folder;
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    const pid_t child = ::fork();
    if (child == 0) {
      const UnitCache cache(folder.path(), 16 * 20000);
      bool right = true;
      for (int round = 0; round < 200; ++round) {
        const std::string content(static_cast<std::size_t>(1000 + round % 40), 'z');
        const std::string key = key_of(round % 40);
        const auto found = cache.find(key);
        right = right && (!found || *found == content);
        if (!found || round % 3 == 0) cache.store(key, content);
      }
      ::_exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    RULE_EQ("CGEN-33", 0, status);
  }
  for (const fs::path& file : files_below(folder.path()))
    RULE_EQ("CGEN-33", std::size_t{64}, file.filename().string().size());
}

/// Runs `body` in a process with these variables; its result.
int with_environment(const std::vector<std::pair<std::string, std::string>>& variables,
                     const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const char* name : {"ASSAY_CACHE", "XDG_CACHE_HOME", "HOME"}) ::unsetenv(name);
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A compiler that counts how often it is called.
CompilerSpec counting_compiler(const TemporaryDirectory& folder) {
  const std::string path = folder.file("cc");
  write_file(path, fmt::format("#!/bin/sh\necho called >>{}\nexec gcc \"$@\"\n", folder.file("calls")));
  ::chmod(path.c_str(), 0700);
  return {"c", path, "-O1", Dialect::gnu};
}

int calls(const TemporaryDirectory& folder) {
  const std::string text = read_file(folder.file("calls"), 1 << 16);
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Cache, AUnitIsCompiledOnce) {
  if (find_compiler("c") == nullptr) GTEST_SKIP() << "gcc is not here";
  const TemporaryDirectory folder, home;
  const CompilerSpec compiler = counting_compiler(folder);
  const auto value = [&](double added, const std::string& flags) {
    const Program p = parse(fmt::format("program p {{ output C: f32[1] C[0] = 1.0 + {}.0 }}", added));
    CompilerSpec c = compiler;
    c.flags = flags;
    const KernelOutcome out = compile_and_run_with(c, p, {}, {});
    return out.status == KernelOutcome::Status::ok ? static_cast<int>(numbers(out.outputs.at("C")).front()) : -1;
  };
  RULE_EQ("CGEN-32", 0, with_environment({{"HOME", home.path()}}, [&] {
            const bool first = value(1, "-O1") == 2 && calls(folder) == 1;
            const bool again = value(1, "-O1") == 2 && calls(folder) == 1;
            const bool text = value(2, "-O1") == 3 && calls(folder) == 2;
            const bool flags = value(1, "-O0") == 2 && calls(folder) == 3;
            write_file(compiler.command, read_file(compiler.command, 1000) + "# newer\n");
            const bool newer = value(1, "-O1") == 2 && calls(folder) == 4;
            return first && again && text && flags && newer ? 0 : 1;
          }));
  RULE_TRUE("CGEN-32", fs::exists(home.path() + "/.cache/assay"));
  // Damaged on the disk: compiled anew, and right.
  for (const fs::path& file : files_below(home.path())) {
    std::string text = read_file(file.string(), 1 << 20);
    text[text.size() / 2] ^= 4;
    write_file(file.string(), text);
  }
  const int before = calls(folder);
  RULE_EQ("CGEN-33", 0, with_environment({{"HOME", home.path()}}, [&] {
            return value(1, "-O1") == 2 && calls(folder) == before + 1 && value(1, "-O1") == 2 &&
                           calls(folder) == before + 1
                       ? 0
                       : 1;
          }));
}

TEST(Cache, WithoutAFolderNothingIsKept) {
  if (find_compiler("c") == nullptr) GTEST_SKIP() << "gcc is not here";
  const TemporaryDirectory open_to_others, home;
  ::chmod(open_to_others.path().c_str(), 0777);
  const std::vector<std::vector<std::pair<std::string, std::string>>> settings{
      {},
      {{"ASSAY_CACHE", "off"}, {"HOME", home.path()}},
      {{"HOME", "/proc/none"}},
      {{"ASSAY_CACHE", "/dev/null/x"}},
      {{"ASSAY_CACHE", open_to_others.path()}},
      {{"ASSAY_CACHE", "relative"}},
      {{"ASSAY_CACHE_MIB", "0"}, {"HOME", home.path()}}};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const TemporaryDirectory folder;
    const CompilerSpec compiler = counting_compiler(folder);
    RULE_EQ("CGEN-35", 0, with_environment(settings[i], [&] {
              const Program p = parse("program p { output C: f32[1] C[0] = 2.0 }");
              for (int round = 1; round <= 2; ++round) {
                const KernelOutcome out = compile_and_run_with(compiler, p, {}, {});
                if (out.status != KernelOutcome::Status::ok || calls(folder) != round) return 1;
              }
              return 0;
            }));
    RULE_TRUE("CGEN-35", files_below(home.path()).empty() && files_below(open_to_others.path()).empty()) << i;
  }
}

}  // namespace
}  // namespace assay::codegen::test
