// Replays files through the fuzzer's entry, for compilers without libFuzzer: replay_parser PATH…, files or folders.
//
// Each input has two seconds of processor time, so a busy machine is no failure. Exit status: 0 all answered in time.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr double limit_seconds = 2.0;

std::vector<std::filesystem::path> inputs_below(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  int replayed = 0;
  int slow = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& path : inputs_below(argv[i])) {
      std::ifstream in(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      if (!in) {
        fmt::print(stderr, "cannot read {}\n", path.string());
        return 1;
      }
      const auto start = std::clock();
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      ++replayed;
      if (seconds > limit_seconds) {
        ++slow;
        fmt::print("{}: {:.1f} s\n", path.string(), seconds);
      }
    }
  }
  fmt::print("{} inputs replayed, {} took more than {} s\n", replayed, slow, limit_seconds);
  return replayed > 0 && slow == 0 ? 0 : 1;
}
