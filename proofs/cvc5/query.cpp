// One process per question: input and output are unnamed files in memory, so nothing can block and nothing is left behind.
#include "proofs/cvc5/query.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "proofs/isl/query.hpp"
#include "proofs/smtlib/values.hpp"

namespace assay {
namespace {

class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("assay-cvc5", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int get() const { return fd_; }
  bool write_all(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = write(fd_, text.data() + done, text.size() - done);
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return lseek(fd_, 0, SEEK_SET) == 0;
  }
  std::string read_all() const {
    std::string out;
    char buffer[4096];
    lseek(fd_, 0, SEEK_SET);
    for (ssize_t n = 0; (n = read(fd_, buffer, sizeof buffer)) > 0;) out.append(buffer, static_cast<std::size_t>(n));
    return out;
  }

 private:
  int fd_;
};

// The values in cvc5's answer to (get-model): lines `(define-fun |i'1| () Int 5)`.
std::map<Symbol, std::int64_t> model_values(const std::string& text) {
  std::map<Symbol, std::int64_t> values;
  const std::string head = "(define-fun ";
  for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
    std::size_t from = at + head.size();
    const bool bars = text[from] == '|';
    const std::size_t to = text.find(bars ? '|' : ' ', from + 1);
    const std::string sort = " () Int ";
    const std::size_t after = to + (bars ? 1 : 0);
    if (to == std::string::npos || text.compare(after, sort.size(), sort) != 0) continue;
    const std::size_t begin = after + sort.size(), end = text.find('\n', begin);
    if (end == std::string::npos) continue;
    if (bars) ++from;
    if (const auto v = smtlib::parse_integer(text.substr(begin, end - begin)))
      values[text.substr(from, to - from)] = *v;
  }
  return values;
}

class Cvc5Query final : public Query {
 public:
  explicit Cvc5Query(std::uint64_t rlimit) : rlimit_(rlimit), linear_(make_isl_query()) {}

  Answer solve(const Formula& f, const std::vector<Symbol>&) override {
    Answer out = f.is_false() ? Answer{Answer::Kind::empty} : ask(f);
    out.engine = "cvc5";
    return out;
  }

 private:
  Answer ask(const Formula& f) {
    const smtlib::Script asked = smtlib::script(f);
    const auto said = run_cvc5({"--lang=smt2", "--produce-models", "--seed=0", "--rlimit=" + std::to_string(rlimit_)},
                               asked.text() + "(get-model)\n");
    if (!said) return {Answer::Kind::unknown, {}, "could not be run"};
    if (said->rfind("unsat\n", 0) == 0) return {Answer::Kind::empty};
    if (said->rfind("sat\n", 0) == 0) return smtlib::checked_solution(asked, model_values(*said), f, *linear_);
    return {Answer::Kind::unknown, {}, "gave up at rlimit " + std::to_string(rlimit_)};
  }

  std::uint64_t rlimit_;
  std::unique_ptr<Query> linear_;  // decides quantified parts at a point
};

}  // namespace

std::optional<std::string> run_cvc5(const std::vector<std::string>& arguments, const std::string& input) {
  const MemoryFile in, out;
  if (in.get() < 0 || out.get() < 0 || !in.write_all(input)) return std::nullopt;
  std::vector<std::string> words{"cvc5"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  constexpr int not_started = 127;
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    // Nothing but system calls: other threads of the parent may hold locks. It ends when the waiting thread does.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool ready = getppid() == parent && dup2(in.get(), STDIN_FILENO) >= 0 &&
                       dup2(out.get(), STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0;
    if (ready) execvp(argv[0], argv.data());
    _exit(not_started);
  }
  if (null >= 0) close(null);
  if (child < 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_started) return std::nullopt;
  return out.read_all();
}

std::optional<std::string> cvc5_engine_name() {
  static const std::optional<std::string> name = []() -> std::optional<std::string> {
    const auto said = run_cvc5({"--version"}, "");
    const std::string head = "cvc5 version ";
    const std::size_t at = said ? said->find(head) : std::string::npos;
    if (at == std::string::npos) return std::nullopt;
    const std::size_t from = at + head.size();
    return "cvc5 " + said->substr(from, said->find_first_of(" \n[", from) - from);
  }();
  return name;
}

std::unique_ptr<Query> make_cvc5_query(std::uint64_t rlimit) { return std::make_unique<Cvc5Query>(rlimit); }

}  // namespace assay
