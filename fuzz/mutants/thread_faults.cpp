// A place is a statement by its preorder number; a fault changes the block that it stands in.
#include "fuzz/mutants/thread_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "ir/text/source.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

/// Changes the siblings among which statement `at` of them is the one that was asked for; false when it has no place there.
using Edit = std::function<bool(Block& siblings, std::size_t at)>;

// Counts statements in preorder down to 0.
bool edit_at(Block& b, int& number, const Edit& edit) {
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (number-- == 0) return edit(b, k);
    for (Block StmtNode::*part : {&StmtNode::body, &StmtNode::other}) {
      Block inner = (*b[k]).*part;
      const bool done = edit_at(inner, number, edit);
      if (number < 0) {
        if (done) b[k] = with(b[k], [&](StmtNode& n) { n.*part = std::move(inner); });
        return done;
      }
    }
  }
  return false;
}

bool is_barrier(const Stmt& s) { return s->kind == StmtKind::barrier; }
bool is_branch(const Stmt& s) { return s->kind == StmtKind::branch; }
bool holds(const Stmt& s) { return s->kind == StmtKind::loop || s->kind == StmtKind::branch; }

class Planter {
 public:
  explicit Planter(const Program& p) : program_(p) {}

  std::vector<ThreadFault> run() {
    const auto count = [&] {
      int n = 0;
      Visitor v;
      v.enter_stmt = [&](const Stmt&) { return ++n > 0; };
      v.enter_expr = [](const Expr&) { return false; };
      visit(program_.body, v);
      return n;
    }();
    for (int at = 0; at < count; ++at) {
      barriers(at);
      guards(at);
      indices(at);
    }
    tiles();
    return std::move(out_);
  }

 private:
  void add(const std::string& name, Program p) {
    if (p == program_ || !check_well_formed(p).empty()) return;
    out_.push_back({name, std::move(p)});
  }
  void plant(const std::string& name, int at, const Edit& edit) {
    Program p = program_;
    int number = at;
    if (edit_at(p.body, number, edit)) add(fmt::format("{}, statement {}", name, at), std::move(p));
  }

  void barriers(int at) {
    plant("no barrier", at, [](Block& b, std::size_t k) {
      if (!is_barrier(b[k])) return false;
      b.erase(b.begin() + static_cast<std::ptrdiff_t>(k));
      return true;
    });
    plant("barrier one statement later", at, [](Block& b, std::size_t k) {
      if (!is_barrier(b[k]) || k + 1 >= b.size()) return false;
      std::swap(b[k], b[k + 1]);
      return true;
    });
    plant("barrier one statement earlier", at, [](Block& b, std::size_t k) {
      if (!is_barrier(b[k]) || k == 0) return false;
      std::swap(b[k], b[k - 1]);
      return true;
    });
    for (const bool behind : {false, true}) {
      plant(behind ? "barrier moved behind the block" : "barrier moved in front of the block", at,
            [&](Block& b, std::size_t k) {
              if (!holds(b[k])) return false;
              const auto inner = std::find_if(b[k]->body.begin(), b[k]->body.end(), is_barrier);
              if (inner == b[k]->body.end()) return false;
              const auto which = inner - b[k]->body.begin();
              Stmt barrier = *inner;
              b[k] = with(b[k], [&](StmtNode& n) { n.body.erase(n.body.begin() + which); });
              b.insert(b.begin() + static_cast<std::ptrdiff_t>(k + (behind ? 1 : 0)), std::move(barrier));
              return true;
            });
      plant(behind ? "barrier moved into the block before it" : "barrier moved into the block behind it", at,
            [&](Block& b, std::size_t k) {
              if (!is_barrier(b[k]) || (behind ? k == 0 : k + 1 >= b.size())) return false;
              const std::size_t into = behind ? k - 1 : k + 1;
              if (!holds(b[into])) return false;
              const Stmt barrier = b[k];
              b[into] =
                  with(b[into], [&](StmtNode& n) { n.body.insert(behind ? n.body.end() : n.body.begin(), barrier); });
              b.erase(b.begin() + static_cast<std::ptrdiff_t>(k));
              return true;
            });
    }
  }

  void guards(int at) {
    plant("no guard", at, [](Block& b, std::size_t k) {
      if (!is_branch(b[k])) return false;
      const Block inside = b[k]->body;
      b.erase(b.begin() + static_cast<std::ptrdiff_t>(k));
      b.insert(b.begin() + static_cast<std::ptrdiff_t>(k), inside.begin(), inside.end());
      return true;
    });
    plant("the other way round", at, [](Block& b, std::size_t k) {
      if (!is_branch(b[k])) return false;
      b[k] = with(b[k], [](StmtNode& n) { n.value = make_op(Op::lnot, {n.value}); });
      return true;
    });
    for (const int by : {-1, 1}) {
      plant(by < 0 ? "one iteration too few" : "one iteration too many", at, [&](Block& b, std::size_t k) {
        if (b[k]->kind != StmtKind::loop) return false;
        b[k] = with(b[k], [&](StmtNode& n) { n.hi = n.hi + by * n.step; });
        return true;
      });
    }
  }

  void indices(int at) {
    std::vector<Symbol> hardware;  // around the statement
    Visitor v;
    int number = 0;
    bool reached = false;
    v.enter_stmt = [&](const Stmt& s) {
      reached |= number++ == at;
      if (!reached && s->kind == StmtKind::loop && is_hardware(s->axis)) hardware.push_back(s->name);
      return true;
    };
    v.leave_stmt = [&](const Stmt& s) {
      if (!reached && s->kind == StmtKind::loop && is_hardware(s->axis)) hardware.pop_back();
    };
    v.enter_expr = [](const Expr&) { return false; };
    visit(program_.body, v);
    const auto substituted = [&](const std::string& name, const std::map<Symbol, Index>& map) {
      plant(name, at, [&](Block& b, std::size_t k) {
        if (b[k]->kind != StmtKind::store && b[k]->kind != StmtKind::assign) return false;
        b[k] = substitute(Block{b[k]}, map)[0];
        return true;
      });
    };
    for (std::size_t i = 0; i < hardware.size(); ++i) {
      const Index a = Index::symbol(hardware[i]);
      substituted("`" + hardware[i] + "` taken for 0", {{hardware[i], Index(0)}});
      substituted("`" + hardware[i] + "` taken for the next one", {{hardware[i], a + 1}});
      for (std::size_t j = i + 1; j < hardware.size(); ++j) {
        const Index b = Index::symbol(hardware[j]);
        substituted(fmt::format("`{}` and `{}` exchanged", hardware[i], hardware[j]),
                    {{hardware[i], b}, {hardware[j], a}});
      }
    }
    // Copies used in turn: the one of the next turn, and always the first one.
    for (const bool next : {true, false}) {
      plant(next ? "the copy of the next turn" : "always the first copy", at, [&](Block& b, std::size_t k) {
        if (b[k]->kind != StmtKind::store && b[k]->kind != StmtKind::assign) return false;
        const Stmt s = rewrite_expressions(
            b[k], [&](const Expr& e) { return e->op == Op::index ? make_index(turned(e->index, next), e->where) : e; });
        if (s == b[k]) return false;
        b[k] = s;
        return true;
      });
    }
  }

  static Index turned(const Index& e, bool next) {
    Index out = e;
    for (const auto& [atom, coefficient] : e.terms()) {
      if (atom->kind != IndexAtom::Kind::floormod) continue;
      const Index own = floormod(atom->args[0], atom->divisor);
      out = out - own * coefficient;
      if (next) out = out + floormod(atom->args[0] + 1, atom->divisor) * coefficient;
    }
    return out;
  }

  void tiles() {
    for (std::size_t k = 0; k < program_.buffers.size(); ++k) {
      const Buffer& b = program_.buffers[k];
      if (b.kind != BufferKind::shared && b.kind != BufferKind::local) continue;
      for (std::size_t d = 0; d < b.dims.size(); ++d) {
        Program p = program_;
        p.buffers[k].dims[d] = b.dims[d] - 1;
        add(fmt::format("`{}` one shorter in dimension {}", b.name, d), std::move(p));
      }
      const BufferKind wider = b.kind == BufferKind::local ? BufferKind::shared : BufferKind::temp;
      Program p = program_;
      p.buffers[k].kind = wider;
      add(fmt::format("`{}` is {}", b.name, name(wider)), std::move(p));
    }
  }

  const Program& program_;
  std::vector<ThreadFault> out_;
};

}  // namespace

std::vector<ThreadFault> thread_faults(const Program& p) { return Planter(p).run(); }

}  // namespace assay::fuzz
