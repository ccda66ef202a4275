// `alias U T`: U lives in the storage of T, which is not in use at the same time (spec/alias.md).
#include <algorithm>

#include "ir/analysis/spans.hpp"
#include "transforms/define.hpp"
#include "transforms/search.hpp"

namespace assay {
namespace {

class Alias final : public Operation {
 public:
  explicit Alias(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "alias";
    d.rule_prefix = "ALIAS";
    d.summary = "keeps a buffer in the storage of another one that is not in use at the same time";
    d.parameters = {
        {"buffer", ParameterInfo::Kind::buffer, true, {}, {}, "the buffer that gives up its own storage"},
        {"storage", ParameterInfo::Kind::buffer, true, {}, {}, "the buffer whose storage it uses"},
    };
    d.refusals = {
        {"ALIAS-1", "the two are not different buffers of one kind (temp, shared or local) and one type"},
        {"ALIAS-2", "the storage has another number of dimensions, or one that may be smaller than the buffer's"},
        {"ALIAS-3", "the statements that use the one and those that use the other are not apart"},
        {"ALIAS-4", "a whole-buffer `zero` of the buffer, or an access to it at a dynamic index"},
    };
    d.schema = "F (flow)";
    d.obligations = {"flow-equal", "window-cover", "in-bounds", "defined-before-read"};
    d.example_program =
        "program chain { input X: f32[6] output Y: f32[6]\n"
        "  temp S: f32[6] temp T: f32[6] temp U: f32[6]\n"
        "  for i in 0..6 { S[i] = X[i] + 1.0 }\n"
        "  for i in 0..6 { T[i] = S[5 - i] }\n"
        "  for i in 0..6 { U[i] = T[i] * 2.0 }\n"
        "  for i in 0..6 { Y[i] = U[i] }\n"
        "}\n";
    d.example_schedule = "alias U S\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Alias>(std::move(line));
  }

  StepResult apply(const Program& before, Query& query) const override {
    const Symbol& buffer = line_.buffers.at("buffer");
    const Symbol& storage = line_.buffers.at("storage");
    const Buffer& b = *before.find_buffer(buffer);
    const Buffer& s = *before.find_buffer(storage);
    if (const auto why = unfit(b, s)) return tl::unexpected(inapplicable(line_, "ALIAS-1", why->first, why->second));
    if (const auto why = too_small(before, b, s, query))
      return tl::unexpected(inapplicable(line_, "ALIAS-2", *why, s.where));
    const auto spans = access_spans(before);
    const auto mine = spans.find(buffer), other = spans.find(storage);
    if (mine != spans.end() && other != spans.end() && mine->second.overlaps(other->second)) {
      return tl::unexpected(inapplicable(
          line_, "ALIAS-3",
          fmt::format("the statements that use `{}` are not all before or all after those that use `{}`", buffer,
                      storage),
          b.where, "statements of one launch with hardware loops count as one: `fission` may set them apart"));
    }
    if (const Stmt whole = find_statement(
            before.body, [&](const Stmt& x) { return x->kind == StmtKind::zero && x->name == buffer; })) {
      return tl::unexpected(inapplicable(line_, "ALIAS-4",
                                         fmt::format("`zero {}` would clear all of `{}`", buffer, storage),
                                         whole->where, fmt::format("`expand_zero {}` first", buffer)));
    }
    if (const auto at = dynamic_access(before, buffer)) {
      return tl::unexpected(
          inapplicable(line_, "ALIAS-4", fmt::format("`{}` is used at a dynamic index", buffer), *at));
    }
    return placed(line_, moved(before, buffer, storage));
  }

 private:
  static std::optional<std::pair<std::string, Location>> unfit(const Buffer& b, const Buffer& s) {
    const auto internal = [](const Buffer& x) {
      return x.kind == BufferKind::temp || x.kind == BufferKind::shared || x.kind == BufferKind::local;
    };
    if (b.name == s.name) return std::pair(fmt::format("`{}` is in its own storage already", b.name), b.where);
    for (const Buffer* x : {&b, &s}) {
      if (!internal(*x))
        return std::pair(fmt::format("`{}` is {}: the caller knows it", x->name, name(x->kind)), x->where);
    }
    if (b.kind != s.kind)
      return std::pair(fmt::format("`{}` is {} and `{}` is {}", b.name, name(b.kind), s.name, name(s.kind)), s.where);
    if (b.type != s.type)
      return std::pair(
          fmt::format("`{}` is of type {} and `{}` of type {}", b.name, name(b.type), s.name, name(s.type)), s.where);
    return std::nullopt;
  }

  static std::optional<std::string> too_small(const Program& p, const Buffer& b, const Buffer& s, Query& query) {
    if (b.dims.size() != s.dims.size())
      return fmt::format("`{}` has rank {} and `{}` rank {}", b.name, b.dims.size(), s.name, s.dims.size());
    const Formula known = parameter_domain(p);
    for (std::size_t i = 0; i < b.dims.size(); ++i) {
      if (!query.implied(known, Formula::le(b.dims[i], s.dims[i])))
        return fmt::format("dimension {} of `{}`, {}, may be smaller than {}", i, s.name, s.dims[i].text(),
                           b.dims[i].text());
    }
    return std::nullopt;
  }

  static std::optional<Location> dynamic_access(const Program& p, const Symbol& buffer) {
    std::optional<Location> found;
    const auto look = [&](const Symbol& name, const std::vector<Expr>& indices, const Location& where) {
      const bool dynamic =
          std::any_of(indices.begin(), indices.end(), [](const Expr& e) { return e->op != Op::index; });
      if (!found && name == buffer && dynamic) found = where;
    };
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::store) look(s->name, s->indices, s->where);
      return true;
    };
    v.enter_expr = [&](const Expr& e) {
      if (e->op == Op::load) look(e->name, e->args, e->where);
      return true;
    };
    visit(p.body, v);
    return found;
  }

  static Program moved(const Program& before, const Symbol& buffer, const Symbol& storage) {
    Program after = before;
    const auto gone = [&](const Buffer& x) { return x.name == buffer; };
    after.buffers.erase(std::remove_if(after.buffers.begin(), after.buffers.end(), gone), after.buffers.end());
    after.body = rewrite(
        before.body,
        [&](const Expr& e) {
          if (e->op != Op::load || e->name != buffer) return e;
          return with(e, [&](ExprNode& n) { n.name = storage; });
        },
        [&](const Stmt& s) {
          const bool access = s->kind == StmtKind::store || s->kind == StmtKind::zero;
          if (!access || s->name != buffer) return Block{s};
          return Block{with(s, [&](StmtNode& n) { n.name = storage; })};
        });
    return after;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Alias)
