// The commands and options come from the table; what surrounds them is here. Options that every command has are said once.
#include "cli/manual.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "oracle/json.hpp"

namespace assay::cli {
namespace {

/// Text for roff: backslashes and hyphens kept, no line that begins like a request, backquotes as bold.
std::string roff(std::string_view text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') {
      out += code ? "\\fR" : "\\fB";
      code = !code;
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return !out.empty() && (out.front() == '.' || out.front() == '\'') ? "\\&" + out : out;
}

std::string sentence(std::string_view text) {
  std::string out = roff(text) + ".";
  if (out.front() >= 'a' && out.front() <= 'z') out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

std::string option_entry(const OptionDescription& o) {
  std::vector<std::string> names;
  for (const std::string& n : o.names) names.push_back("\\fB" + roff(n) + "\\fR");
  std::string value;
  if (!o.value.empty()) {
    // Words to be typed are bold, what stands for something is italic.
    const bool choice = o.value.find('|') != std::string::npos;
    value = fmt::format(" \\f{}{}\\fR", choice ? "B" : "I", roff(o.value));
  }
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, sentence(o.help));
}

bool everywhere(const OptionDescription& o, const std::vector<CommandDescription>& commands) {
  return std::all_of(commands.begin(), commands.end(), [&](const CommandDescription& c) {
    return std::any_of(c.options.begin(), c.options.end(),
                       [&](const OptionDescription& other) { return other.names == o.names && other.help == o.help; });
  });
}

constexpr const char* description = R"(.SH DESCRIPTION
Assay tells whether a tensor\-kernel schedule is right.
A program is a loop nest over tensors, a schedule a list of steps:
split this loop, exchange those two, run this one in parallel.
For every step
.B assay
proves that the program still means the same, or shows the two iterations that
break it.
It runs both programs in a bit\-exact reference interpreter and as compiled C,
and compares the results bit for bit.
.PP
Where a command takes a program or a schedule,
.B \-
is standard input, and
.IB FILE : NAME
picks the program or schedule of that name.
The last line of an answer begins with the verdict word.
)";

constexpr const char* surroundings = R"(.SH EXIT STATUS
.TP
.B 0
.BR ok ", " clean ", " legal ", " equivalent ", " sound :
holds, for what the last line says.
.TP
.B 1
.BR faulty ", " illegal ", " different ", " unsound ", " failed :
refuted by something that was replayed, or above the licence asked for.
.TP
.B 2
.BR error :
text, name, type, parameter or command line is wrong.
.TP
.B 3
.BR undecided :
not proved, not refuted.
.TP
.B 4
.BR inapplicable :
a step does not fit the form of the program.
.TP
.B 70
.BR contradiction :
two judges disagree, or an internal error: a bug of assay.
.SH ENVIRONMENT
.TP
.B NO_COLOR
When set and not empty, colour is used only with
.BR "\-\-color always" .
.TP
.B LC_ALL\fR, \fBLC_CTYPE\fR, \fBLANG
Characters beyond ASCII are printed only where the first of these that is set
names UTF\-8.
.TP
.B PATH
Where the compilers of generated code are looked for.
.TP
.B ASSAY_WORKER
The program that compiles and runs kernels, where it is not in its usual place.
.TP
.B ASSAY_CACHE\fR, \fBASSAY_CACHE_MIB
The folder that keeps compiled kernels, or
.BR off ;
how many MiB it may hold (256).
.TP
.B TMPDIR
Where compilers write; nothing is left there.
.SH FILES
.TP
.I ./assay\-contradiction\-*.air
The case that is kept when two judges disagree.
.TP
.I ~/.cache/assay
Compiled kernels, where neither
.B ASSAY_CACHE
nor
.B XDG_CACHE_HOME
names another folder.
.SH EXAMPLES
Judge a schedule:
.PP
.nf
    assay check matmul.air tiled.sched
.fi
.PP
The transformed program, if every step is proved, and the C that it becomes:
.PP
.nf
    assay apply matmul.air tiled.sched \-o tiled.air
    assay codegen tiled.air
.fi
.PP
What a code in an answer means:
.PP
.nf
    assay explain DEP\-2
.fi
)";

}  // namespace

std::string manual_page(const std::vector<CommandDescription>& commands, const std::string& date) {
  std::string out = fmt::format(".TH ASSAY 1 {} \"assay {}\" \"User Commands\"\n", date, oracle::version());
  out += ".SH NAME\nassay \\- decides whether a tensor\\-kernel schedule is right\n";
  out += ".SH SYNOPSIS\n.B assay\n.I COMMAND\n.RI [ option \" ...]\"\n.RI [ operand \" ...]\"\n";
  out += description;
  out += ".SH COMMANDS\n";
  for (const CommandDescription& c : commands) {
    out += fmt::format(".SS assay {}{}{}\n{}\n", roff(c.name), c.operands.empty() ? "" : " ", roff(c.operands),
                       sentence(c.summary));
    for (const OptionDescription& o : c.options) {
      if (!everywhere(o, commands)) out += option_entry(o);
    }
  }
  out += ".SH OPTIONS\nEvery command takes these.\n";
  for (const OptionDescription& o : commands.front().options) {
    if (everywhere(o, commands)) out += option_entry(o);
  }
  out += ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint the options of the command.\n";
  out += ".TP\n\\fB\\-\\-version\\fR\nPrint the version (in place of a command).\n";
  return out + surroundings;
}

}  // namespace assay::cli
