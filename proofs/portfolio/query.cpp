// Asking in order; nothing is remembered between questions, so that equal questions get equal answers.
#include "proofs/portfolio/query.hpp"

#include "proofs/cvc5/query.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/native/query.hpp"
#include "proofs/z3/query.hpp"

namespace assay {
namespace {

class SequenceQuery final : public Query {
 public:
  explicit SequenceQuery(std::vector<std::unique_ptr<Query>> engines) : engines_(std::move(engines)) {}

  Answer solve(const Formula& f, const std::vector<Symbol>& minimise_first) override {
    Answer none;
    for (const auto& engine : engines_) {
      Answer answer = engine->solve(f, minimise_first);
      if (answer.kind != Answer::Kind::unknown) return answer;
      none.reason += (none.reason.empty() ? "" : "; ") + answer.engine + ": " + answer.reason;
      none.engine += (none.engine.empty() ? "" : ", ") + answer.engine;
    }
    return none;
  }

 private:
  std::vector<std::unique_ptr<Query>> engines_;
};

}  // namespace

std::unique_ptr<Query> make_sequence_query(std::vector<std::unique_ptr<Query>> engines) {
  return std::make_unique<SequenceQuery>(std::move(engines));
}

std::vector<std::unique_ptr<Query>> make_engines(std::uint64_t budget) {
  std::vector<std::unique_ptr<Query>> engines;
  engines.push_back(make_native_query(budget));
  engines.push_back(make_isl_query(budget));
  engines.push_back(make_z3_query(budget / 20 * 3));
  if (cvc5_engine_name()) engines.push_back(make_cvc5_query(budget / 20));
  return engines;
}

std::unique_ptr<Query> make_portfolio_query(std::uint64_t budget) { return make_sequence_query(make_engines(budget)); }

}  // namespace assay
