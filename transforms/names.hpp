// Names in schedule lines: what may be a name, and which loops a program has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/program.hpp"

namespace assay {

/// Whether `name` is a NAME of the language that is not reserved.
bool is_name(std::string_view name);
/// The symbols of all loops, in program order.
std::vector<std::string> loop_names(const Program& p);
/// The variables of all `var` statements and scopes, in program order.
std::vector<std::string> variable_names(const Program& p);
/// `SYMBOL_SUFFIX`, the default name of a loop made from `symbol` (a copy `i.3` gives `i_SUFFIX`), in its next free
/// form.
Symbol derived_name(const Symbol& symbol, std::string_view suffix, NameSupply& names);

}  // namespace assay
