// The statements of a tile product by matrix instructions.
//
// Each lane keeps four sums of a block (two at f64) in registers, loads its elements of A and B, calls the instruction block
// by block along the summed loop, and stores the sums. Lane 4g + m has in row g of A, and of B's columns, the elements m, in
// row g of the result the columns 2m and 2m + 1; registers that follow are 8 rows further down, or along the terms.
#include "codegen/device/tiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/c/emitter.hpp"
#include "ir/typing.hpp"

namespace assay::codegen {
namespace {

/// Elements of one register: 2 of 16 bits, 4 of 8; f64 has registers of its own.
int per_register(Type takes) { return takes == Type::f64 ? 1 : 32 / bit_width(takes); }

std::string letter(Type t) {
  if (t == Type::i8) return "s8";
  if (t == Type::u8) return "u8";
  if (t == Type::i32) return "s32";
  return std::string(name(t));
}

class Product {
 public:
  Product(Emitter& emit, const Program& p, const TileInstruction& fit, std::set<std::string>& functions)
      : emit_(emit), program_(p), fit_(fit), product_(fit.product), functions_(functions) {}

  void text(const std::string& lane) {
    for (const char* own : {"lane", "group", "member", "rows", "columns", "terms", "sum", "left", "right", "q", "e",
                            "part", "executed", "some"})
      name_[own] = emit_.names().fresh(own);
    emit_.braces("", [&] {
      line("const int {lane} = (int)" + lane + ", {group} = {lane} / 4, {member} = {lane} % 4; /* @tile */");
      blocks("rows", fit_.row_count, fit_.rows,
             [&] { blocks("columns", fit_.column_count, fit_.columns, [&] { block(); }); });
    });
  }

 private:
  /// A line in which `{word}` is the name of a word.
  void line(std::string_view pattern) { emit_.line(filled(pattern)); }
  std::string filled(std::string_view pattern) const {
    std::string s(pattern);
    for (const auto& [word, chosen] : name_) {
      const std::string key = "{" + word + "}";
      for (std::size_t at = s.find(key); at != std::string::npos; at = s.find(key, at))
        s.replace(at, key.size(), chosen);
    }
    return s;
  }
  template <typename Inner>
  void braces(std::string_view header, const Inner& inner) {
    emit_.braces(filled(header), inner);
  }
  template <typename Inner>
  void blocks(const std::string& word, std::int64_t count, int block, const Inner& inner) {
    braces(fmt::format("for (int64_t {{{0}}} = 0; {{{0}}} < {1}; {{{0}}} += {2})", word, count, block), inner);
  }
  /// A loop whose passes are known, so that what they index can be registers.
  template <typename Inner>
  void passes(const std::string& word, int count, const Inner& inner) {
    emit_.line("ASSAY_UNROLL");
    braces(fmt::format("for (int {{{0}}} = 0; {{{0}}} < {1}; ++{{{0}}})", word, count), inner);
  }

  /// Binds the symbol of a loop to its value at a place in the block that `blocks` counts.
  void bind(const Stmt& loop, const std::string& blocks, const std::string& place) {
    const std::string first = loop->lo == Index(0) ? "" : within(emit_.index(loop->lo), Binding::sum) + " + ";
    line(fmt::format("const int64_t {} = {}{} + {};", emit_.names().of(loop->name), first, blocks, place));
  }

  std::string all_of(const std::vector<Expr>& a, const std::vector<Expr>& b = {}) {
    std::vector<std::string> parts;
    for (const auto* list : {&a, &b}) {
      for (const Expr& guard : *list) parts.push_back(within(emit_.expression(guard), Binding::comparison));
    }
    return fmt::format("{}", fmt::join(parts, " && "));
  }
  /// `inner` where these conditions hold.
  template <typename Inner>
  void where(const std::string& condition, const Inner& inner) {
    if (condition.empty()) return inner();
    emit_.braces("if (" + condition + ")", inner);
  }

  bool wide() const { return fit_.takes == Type::f64; }
  int sums() const { return wide() ? 2 : 4; }
  int each() const { return per_register(fit_.takes); }
  int registers_of_b() const { return wide() ? 1 : fit_.terms / (4 * each()); }
  int registers_of_a() const { return registers_of_b() * fit_.rows / 8; }

  void block() {
    const bool packed = fit_.sum == Type::f16;
    line(fmt::format("{} {{sum}}[{}] = {{0}};", packed ? "uint32_t" : c_type(fit_.sum), packed ? 2 : sums()));
    const std::string cell = emit_.names().of(product_.update->name);
    const Expr target = make_load(product_.update->name, fit_.sum, product_.update->indices);
    each_sum([&] {
      const std::string read = emit_.expression(target).s;
      if (packed) {
        line("{sum}[{q} / 2] |= (uint32_t)" + read + " << 16 * ({q} % 2);");
      } else {
        line("{sum}[{q}] = " + read + ";");
      }
    });
    const bool guarded = !fit_.term_guards.empty();
    if (guarded) line("int {executed} = 0;");
    blocks("terms", fit_.term_count, fit_.terms, [&] {
      if (guarded) skip_idle();
      factor(product_.left, "left", registers_of_a(), product_.row, fit_.row_guards, "{rows}",
             fmt::format("({{group}} + {{part}} % {} * 8)", fit_.rows / 8),
             fmt::format("(({{part}} / {0} * 4 + {{member}}) * {1} + {{e}})", fit_.rows / 8, each()));
      factor(product_.right, "right", registers_of_b(), product_.column, fit_.column_guards, "{columns}", "{group}",
             fmt::format("(({{part}} * 4 + {{member}}) * {0} + {{e}})", each()));
      line(function() + "({sum}, {left}, {right});");
    });
    const auto store = [&] {
      each_sum([&] {
        line(emit_.expression(target).s + " = " +
             (packed ? "(uint16_t)({sum}[{q} / 2] >> 16 * ({q} % 2));" : std::string("{sum}[{q}];")));
      });
    };
    if (guarded) {
      braces("if ({executed})", store);
    } else {
      store();
    }
  }

  template <typename Inner>
  void each_sum(const Inner& inner) {
    passes("q", sums(), [&] {
      bind(product_.row, "{rows}", "({group} + {q} / 2 * 8)");
      bind(product_.column, "{columns}", "({member} * 2 + {q} % 2)");
      where(all_of(fit_.row_guards, fit_.column_guards), inner);
    });
  }

  /// Leaves out a block none of whose terms is executed (MMA-5); the whole warp decides the same.
  void skip_idle() {
    line("int {some} = 0;");
    braces(fmt::format("for (int {{e}} = 0; {{e}} < {}; ++{{e}})", fit_.terms), [&] {
      bind(product_.sum, "{terms}", "{e}");
      line("{some} |= " + all_of(fit_.term_guards) + ";");
    });
    line("if (!{some}) continue;");
    line("{executed} = 1;");
  }

  std::string function() {
    const std::string left = letter(fit_.takes == Type::i8 ? product_.left->type : fit_.takes);
    const std::string right = letter(fit_.takes == Type::i8 ? product_.right->type : fit_.takes);
    std::string name =
        fmt::format("assay_mma_m{}n{}k{}_{}_{}_{}", fit_.rows, fit_.columns, fit_.terms, letter(fit_.sum), left, right);
    functions_.insert(name);
    return name;
  }

  /// Loads the lane's elements of a factor. `own` is its loop beside the summed one.
  void factor(const Expr& load, const std::string& word, int registers, const Stmt& own,
              const std::vector<Expr>& guards, const std::string& own_blocks, const std::string& own_place,
              const std::string& term_place) {
    if (wide()) {
      line(fmt::format("double {{{}}}[1] = {{0}};", word));
    } else {
      line(fmt::format("uint32_t {{{}}}[{}] = {{0}};", word, registers));
    }
    if (in_rows(load, own, guards)) return load_matrix(load, word, registers, own, own_blocks);
    passes("part", registers, [&] {
      const auto element = [&] {
        bind(own, own_blocks, own_place);
        bind(product_.sum, "{terms}", term_place);
        const Type to = fit_.takes == Type::i8 ? load->type : fit_.takes;
        const Text value = emit_.expression(load->type == to ? load : make_convert(to, load));
        where(all_of(guards, fit_.term_guards), [&] {
          if (wide()) return line(fmt::format("{{{}}}[{{part}}] = {};", word, value.s));
          const char* bits = each() == 2 ? "(uint32_t)" : "(uint32_t)(uint8_t)";
          line(fmt::format("{{{}}}[{{part}}] |= {}{} << {} * {{e}};", word, bits, within(value, Binding::unary),
                           32 / each()));
        });
      };
      if (!wide()) return passes("e", each(), element);
      line("const int {e} = 0;");
      element();
    });
  }

  /// Whether the blocks of a factor are eight rows of 16 bytes in shared memory (MMA-20).
  bool in_rows(const Expr& load, const Stmt& own, const std::vector<Expr>& guards) const {
    const Buffer& b = *program_.find_buffer(load->name);
    if (b.kind != BufferKind::shared || load->type != fit_.takes || byte_width(load->type) != 2) return false;
    if (b.swizzle == Swizzle::elem || !guards.empty() || !fit_.term_guards.empty()) return false;
    const Index& row = b.dims.back();
    if (!row.is_constant() || row.constant() % 8 != 0) return false;
    const Index& last = load->args.back()->index;
    const Stmt& along = last.mentions(own->name) ? own : product_.sum;
    const Index start = last - Index::symbol(along->name) + along->lo;
    return floormod(start, 8) == Index(0);
  }

  void load_matrix(const Expr& load, const std::string& word, int count, const Stmt& own,
                   const std::string& own_blocks) {
    const bool along_own = load->args.back()->index.mentions(own->name), of_a = word == "left";
    const std::string matrix = fmt::format("({{lane}} / 8 % {})", count), in_matrix = "{lane} % 8";
    const std::string down = of_a ? matrix + " % 2 * 8" : "0", along = matrix + (of_a ? " / 2 * 8" : " * 8");
    const std::string name = fmt::format("assay_ldmatrix_x{}{}", count, along_own ? "_trans" : "");
    functions_.insert(name);
    emit_.braces("", [&] {
      bind(own, own_blocks, along_own ? down : fmt::format("({} + {})", down, in_matrix));
      bind(product_.sum, "{terms}", along_own ? fmt::format("({} + {})", along, in_matrix) : along);
      line(fmt::format("{}({{{}}}, &{});", name, word, emit_.expression(load).s));
    });
  }

  Emitter& emit_;
  const Program& program_;
  const TileInstruction& fit_;
  const TileProduct& product_;
  std::set<std::string>& functions_;
  std::map<std::string, std::string> name_{};
};

}  // namespace

void emit_tile_product(Emitter& emit, const Program& p, const TileInstruction& product, const std::string& lane,
                       std::set<std::string>& functions) {
  Product(emit, p, product, functions).text(lane);
}

}  // namespace assay::codegen
