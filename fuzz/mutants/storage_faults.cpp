// Faults of `alias` are made of the program before, all others of the honest result.
#include "fuzz/mutants/storage_faults.hpp"

#include <algorithm>

#include "fuzz/mutants/plant.hpp"
#include "ir/analysis/spans.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {

Program with_storage(const Program& p, const Symbol& buffer, const Symbol& storage, bool loads, bool stores,
                     int shift) {
  const auto move = [&](Symbol& name, std::vector<Expr>& indices) {
    name = storage;
    indices[0] = make_index(indices[0]->index + shift);
  };
  Program out = p;
  out.body = rewrite(
      p.body,
      [&](const Expr& e) {
        if (!loads || e->op != Op::load || e->name != buffer) return e;
        return with(e, [&](ExprNode& n) { move(n.name, n.args); });
      },
      [&](const Stmt& s) -> Block {
        if (!stores || s->name != buffer || s->kind != StmtKind::store) return {s};
        return {with(s, [&](StmtNode& n) { move(n.name, n.indices); })};
      });
  if (loads && stores && shift == 0)
    out.buffers.erase(
        std::remove_if(out.buffers.begin(), out.buffers.end(), [&](const Buffer& b) { return b.name == buffer; }),
        out.buffers.end());
  return out;
}

const std::vector<ZeroFault>& zero_faults() {
  static const std::vector<ZeroFault> faults = {
      {"lost",
       [](Block& b, std::size_t k) {
         b.erase(b.begin() + static_cast<std::ptrdiff_t>(k));
         return true;
       }},
      {"one statement too far",
       [](Block& b, std::size_t k) {
         if (k + 1 >= b.size()) return false;
         std::swap(b[k], b[k + 1]);
         return true;
       }},
      {"to the end",
       [](Block& b, std::size_t k) {
         std::rotate(b.begin() + static_cast<std::ptrdiff_t>(k), b.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                     b.end());
         return true;
       }},
      {"a second time after the use",
       [](Block& b, std::size_t k) {
         if (k + 1 >= b.size()) return false;
         b.insert(b.begin() + static_cast<std::ptrdiff_t>(k) + 2, b[k]);
         return true;
       }},
      {"a second time at the end",
       [](Block& b, std::size_t k) {
         b.push_back(b[k]);
         return true;
       }},
      {"two statements too far",
       [](Block& b, std::size_t k) {
         if (k + 2 >= b.size()) return false;
         const auto at = b.begin() + static_cast<std::ptrdiff_t>(k);
         std::rotate(at, at + 1, at + 3);
         return true;
       }},
      {"of the output",
       [](Block& b, std::size_t k) {
         if (b[k]->name == "Y") return false;
         b[k] = with(b[k], [](StmtNode& n) { n.name = "Y"; });
         return true;
       }},
  };
  return faults;
}

namespace {

// Of `alias A B`: what becomes of the loads and stores of A.
Plant aliased(const std::function<Program(const Program&, const Symbol& a, const Symbol& b)>& made) {
  return [made](const Program& before, const Program&, const ScheduleLine& line) -> std::optional<Program> {
    return made(before, line.operands.at(0).text, line.operands.at(1).text);
  };
}
// Into a buffer that is still in use.
std::optional<Program> into_third(const Program& before, const Program&, const ScheduleLine& line) {
  const Symbol a = line.operands.at(0).text, b = line.operands.at(1).text;
  const auto spans = access_spans(before);
  const Buffer& buffer = *before.find_buffer(a);
  if (spans.count(a) == 0) return std::nullopt;
  for (const Buffer& c : before.buffers) {
    if (c.name == a || c.name == b || c.kind != buffer.kind || c.type != buffer.type ||
        c.dims.size() != buffer.dims.size() || spans.count(c.name) == 0 || !spans.at(c.name).overlaps(spans.at(a)))
      continue;
    return with_storage(before, a, c.name, true, true, 0);
  }
  return std::nullopt;
}

Plant on_zero(bool (*plant)(Block& body, std::size_t zero)) {
  return [plant](const Program&, const Program& after, const ScheduleLine& line) -> std::optional<Program> {
    Program out = after;
    const auto at = std::find_if(out.body.begin(), out.body.end(), [&](const Stmt& s) {
      return s->kind == StmtKind::zero && s->name == line.operands.at(0).text;
    });
    if (at == out.body.end() || !plant(out.body, static_cast<std::size_t>(at - out.body.begin()))) return std::nullopt;
    return out;
  };
}

// Of a strip that `zero_margins` made, the outermost loop: its symbol is new.
Plant on_strip(bool last, const std::function<Block(const Stmt&)>& change) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    const Wanted fresh_loop = new_loop(before);
    std::vector<std::size_t> strips;
    for (std::size_t k = 0; k < after.body.size(); ++k) {
      if (fresh_loop(after.body[k])) strips.push_back(k);
    }
    if (strips.empty()) return std::nullopt;
    const auto at = after.body.begin() + static_cast<std::ptrdiff_t>(last ? strips.back() : strips.front());
    Program out = after;
    out.body.assign(after.body.begin(), at);
    const Block changed = change(*at);
    out.body.insert(out.body.end(), changed.begin(), changed.end());
    out.body.insert(out.body.end(), at + 1, after.body.end());
    return out;
  };
}
Stmt storing(const Stmt& strip, const std::function<void(StmtNode&)>& change) {
  return rewrite({strip}, {},
                 [&](const Stmt& s) { return Block{s->kind == StmtKind::store ? with(s, change) : s}; })[0];
}

// The n-th barrier (the last one where n < 0) and its siblings.
Plant on_barrier(int n, const std::function<bool(Block& siblings, std::size_t at)>& change) {
  return [=](const Program&, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    int count = 0;
    const auto is_barrier = [](const Stmt& s) { return s->kind == StmtKind::barrier; };
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      count += is_barrier(s) ? 1 : 0;
      return true;
    };
    visit(after.body, v);
    int left = n < 0 ? count - 1 : n;
    if (left < 0 || left >= count) return std::nullopt;
    bool done = false;
    const std::function<Block(const Block&)> walk = [&](const Block& b) {
      Block out = b;
      for (std::size_t k = 0; k < out.size() && left >= 0; ++k) {
        if (is_barrier(out[k])) {
          if (left-- == 0) done = change(out, k);
        } else if (!out[k]->body.empty() || !out[k]->other.empty()) {
          out[k] = with(out[k], [&](StmtNode& s) {
            s.body = walk(s.body);
            s.other = walk(s.other);
          });
        }
      }
      return out;
    };
    Program out = after;
    out.body = walk(after.body);
    return done ? std::optional(out) : std::nullopt;
  };
}
bool erase(Block& b, std::size_t k) {
  b.erase(b.begin() + static_cast<std::ptrdiff_t>(k));
  return true;
}
bool earlier(Block& b, std::size_t k) {
  if (k == 0) return false;
  std::swap(b[k], b[k - 1]);
  return true;
}
bool later(Block& b, std::size_t k) {
  if (k + 1 >= b.size()) return false;
  std::swap(b[k], b[k + 1]);
  return true;
}
// Only the threads of even number come to it.
std::optional<Program> of_some_threads(const Program& before, const Program& after, const ScheduleLine& line) {
  Symbol thread;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop && s->axis == Axis::workgroup) thread = s->name;
    return thread.empty();
  };
  visit(after.body, v);
  if (thread.empty()) return std::nullopt;
  const Expr even = make_op(Op::eq, {make_index(floormod(Index::symbol(thread), 2)), make_index(0)});
  return on_barrier(0, [&](Block& b, std::size_t k) {
    b[k] = make_branch(even, {b[k]});
    return true;
  })(before, after, line);
}

}  // namespace

const std::vector<StepFault>& storage_faults() {
  static const std::vector<StepFault> faults = [] {
    const auto bounds = [](int from_lo, int from_hi) {
      return [=](const Stmt& s) { return Block{with_bounds(s, s->lo + from_lo, s->hi + from_hi)}; };
    };
    std::vector<StepFault> all = {
        {"alias", "the loads stay",
         aliased([](const auto& p, const auto& a, const auto& b) { return with_storage(p, a, b, false, true, 0); })},
        {"alias", "the stores stay",
         aliased([](const auto& p, const auto& a, const auto& b) { return with_storage(p, a, b, true, false, 0); })},
        {"alias", "the loads are shifted", aliased([](const auto& p, const auto& a, const auto& b) {
           return with_storage(with_storage(p, a, b, true, false, 1), a, b, false, true, 0);
         })},
        {"alias", "the stores are shifted", aliased([](const auto& p, const auto& a, const auto& b) {
           return with_storage(with_storage(p, a, b, false, true, 1), a, b, true, false, 0);
         })},
        {"alias", "into the storage of a third buffer", into_third},
        {"alias", "the other buffer is renamed as well", aliased([](const auto& p, const auto& a, const auto& b) {
           // What was of either is exchanged in the loads.
           return with_storage(with_storage(p, b, a, true, false, 0), a, b, false, true, 0);
         })},
        {"zero_margins", "the first strip is lost", on_strip(false, [](const Stmt&) { return Block{}; })},
        {"zero_margins", "the last strip is lost", on_strip(true, [](const Stmt&) { return Block{}; })},
        {"zero_margins", "the first strip ends too early", on_strip(false, bounds(0, -1))},
        {"zero_margins", "the last strip begins too late", on_strip(true, bounds(1, 0))},
        {"zero_margins", "one instead of zero",
         on_strip(false,
                  [](const Stmt& s) {
                    return Block{storing(s, [](StmtNode& n) { n.value = make_literal(Scalar{n.value->type, 1}); })};
                  })},
        {"zero_margins", "the same cell every time",
         on_strip(
             true,
             [](const Stmt& s) { return Block{storing(s, [](StmtNode& n) { n.indices.front() = make_index(0); })}; })},
        {"zero_margins", "the strip is behind the program",
         [](const Program& before, const Program& after, const ScheduleLine& line) -> std::optional<Program> {
           Stmt moved;
           auto out = on_strip(false, [&](const Stmt& s) {
             moved = with_bounds(s, s->lo, s->hi + 1);
             return Block{};
           })(before, after, line);
           if (out) out->body.push_back(moved);
           return out;
         }},
        {"elide_barriers", "the first barrier goes as well", on_barrier(0, erase)},
        {"elide_barriers", "the second barrier goes as well", on_barrier(1, erase)},
        {"elide_barriers", "the last barrier goes as well", on_barrier(-1, erase)},
        {"elide_barriers", "the first barrier stands too early", on_barrier(0, earlier)},
        {"elide_barriers", "the first barrier stands too late", on_barrier(0, later)},
        {"elide_barriers", "some threads alone come to the barrier", of_some_threads},
        {"elide_barriers", "the last barrier stands too late", on_barrier(-1, later)},
    };
    for (const ZeroFault& f : zero_faults()) all.push_back({"sink_zero", f.name, on_zero(f.plant)});
    return all;
  }();
  return faults;
}

}  // namespace assay::fuzz
