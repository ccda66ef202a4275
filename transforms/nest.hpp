// Perfect nests: a loop whose only statement is another loop.
#pragma once

#include <optional>
#include <vector>

#include "transforms/define.hpp"

namespace assay {

/// Whether `s` is a loop with one of these symbols.
bool is_loop(const Stmt& s, const std::vector<Symbol>& symbols);

/// The loop that `outer` holds, when nothing stands between the two but conditions on index values. Those do not mention
/// the inner symbol, so they can as well be asked inside: the result is the inner loop with them around its body.
std::optional<Stmt> held_loop(const Stmt& outer);

/// Why none of `inners` is the loop that `outer` holds, as a refusal.
Refusal not_perfectly_nested(const Arguments& line, const std::string& code, const Stmt& outer,
                             const std::vector<Symbol>& inners, const Program& before);

}  // namespace assay
