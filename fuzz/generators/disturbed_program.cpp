// Each place is disturbed with a small probability; a third of the programs stay as they are.
#include "fuzz/generators/disturbed_program.hpp"

#include "ir/literal.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

class Disturber {
 public:
  explicit Disturber(interp::Random& random) : random_(random) {}

  Program run(Program p) {
    if (chance(2)) p = stretch(std::move(p));
    if (chance(3)) return p;
    for (Buffer& b : p.buffers) {
      if (b.kind == BufferKind::inout && chance(8)) b.kind = chance(2) ? BufferKind::output : BufferKind::temp;
      if (b.kind == BufferKind::local && chance(4)) b.kind = BufferKind::shared;
      if (b.kind == BufferKind::temp && chance(3)) b.kind = BufferKind::shared;
      if (!b.range && b.kind == BufferKind::input && is_int(b.type) && chance(3)) b.range = {{-2, 3}};
    }
    p.body = rewrite(
        p.body, [&](const Expr& e) { return expression(e); }, [&](const Stmt& s) { return statement(s); });
    if (chance(8)) p.body.push_back(make_launch());
    if (p.body.back()->kind == StmtKind::launch) p.body.push_back(p.body.front());
    return p;
  }

 private:
  bool chance(std::uint64_t one_in) { return random_.below(one_in) == 0; }
  std::int64_t small() { return static_cast<std::int64_t>(random_.below(5)) - 2; }

  // One loop becomes long, and the buffers with it.
  Program stretch(Program p) {
    std::vector<Stmt> loops;
    visit(p.body, {[&](const Stmt& s) {
                     const bool long_ones = s->axis == Axis::serial || s->axis == Axis::workgroup;
                     if (s->kind == StmtKind::loop && long_ones) loops.push_back(s);
                     return true;
                   },
                   {},
                   {},
                   {}});
    if (loops.empty()) return p;
    const Symbol longer = loops[random_.below(loops.size())]->name;
    const auto length = static_cast<std::int64_t>(chance(8) ? 250 + random_.below(20) : 6 + random_.below(40));
    const bool shifted = chance(2);  // so that what counts down stays inside
    p.body = rewrite(
        p.body,
        [&](const Expr& e) { return shifted && e->op == Op::load && e->args.size() == 1 ? moved_up(e, length) : e; },
        [&](const Stmt& s) -> Block {
          if (s->kind == StmtKind::loop && s->name == longer)
            return {with(s, [&](StmtNode& n) { n.hi = n.hi + length; })};
          return {s};
        });
    for (Buffer& b : p.buffers) {
      const bool small = b.dims.size() == 1 || length < 60;
      for (Index& d : b.dims) d = d + (small ? 4 * length : length + 10);
    }
    return p;
  }
  static Expr moved_up(const Expr& e, std::int64_t by) {
    if (e->args[0]->op != Op::index) return e;
    return with(e, [&](ExprNode& n) { n.args[0] = make_index(n.args[0]->index + by, n.args[0]->where); });
  }

  Index move(const Index& e) {
    if (chance(40)) return e + small();
    if (chance(80)) return e * (1 + small());
    if (chance(80)) return floordiv(e, 2);
    if (chance(400)) return e * (std::int64_t{1} << 62);
    return e;
  }
  Expr expression(const Expr& e) {
    if (e->op == Op::index) return make_index(move(e->index), e->where);
    if (e->type != Type::index && is_int(e->type) && e->args.size() == 2 && e->op >= Op::add && e->op <= Op::mul &&
        chance(15)) {
      constexpr Op divisions[] = {Op::floordiv, Op::floormod, Op::ceildiv, Op::truncdiv, Op::eucmod};
      return with(e, [&](ExprNode& n) { n.op = divisions[random_.below(5)]; });
    }
    if (is_float(e->type) && e->args.size() == 2 && e->op == Op::mul && chance(10))
      return with(e, [&](ExprNode& n) { n.op = chance(2) ? Op::div : Op::minnum; });
    if (is_float(e->type) && e->op == Op::load && chance(25)) {
      constexpr Op functions[] = {Op::exp, Op::sqrt, Op::neg, Op::relu, Op::rsqrt, Op::floor};
      return make_op(functions[random_.below(6)], {e}, e->where);
    }
    if (e->type != Type::index && e->op == Op::load && chance(25))
      return make_convert(e->type, make_convert(pick_type(), e, e->where), e->where);
    return e;
  }
  Type pick_type() {
    constexpr std::size_t count = sizeof storage_types / sizeof *storage_types;
    return storage_types[random_.below(count)];
  }
  Block statement(const Stmt& s) {
    if (s->kind == StmtKind::store && chance(40)) return {};
    if (s->kind == StmtKind::store && chance(60)) return {make_barrier(s->where), s};
    if (s->kind == StmtKind::declare && s->value && chance(8)) return {with(s, [](StmtNode& n) { n.value = Expr(); })};
    if (s->kind != StmtKind::loop) return {s};
    Stmt l = s;
    if (chance(12)) {
      constexpr Axis axes[] = {Axis::serial, Axis::vectorized, Axis::grid, Axis::workgroup,
                               Axis::reduce, Axis::unrolled,   Axis::tile};
      l = with(l, [&](StmtNode& n) { n.axis = axes[random_.below(6)]; });
    }
    if (chance(12)) l = with(l, [&](StmtNode& n) { n.hi = n.hi + static_cast<std::int64_t>(random_.below(300)); });
    if (chance(20)) l = with(l, [&](StmtNode& n) { n.lo = move(n.lo); });
    if (chance(30)) l = with(l, [&](StmtNode& n) { n.body.push_back(make_barrier(n.where)); });
    return {l};
  }

  interp::Random& random_;
};

}  // namespace

Program disturb(const Program& p, interp::Random& random) { return Disturber(random).run(p); }

}  // namespace assay::fuzz
