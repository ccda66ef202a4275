// One walk over compiled code; a fault is what it does to an instruction or to a statement.
#include "fuzz/mutants/engine_faults.hpp"

#include "interp/compiled/code.hpp"

namespace assay::fuzz {
namespace {

using namespace interp::compiled;
using OnInstruction = std::function<void(Instruction&)>;
using OnNode = std::function<void(Node&)>;

void walk(NodeBlock& block, const OnInstruction& on_instruction, const OnNode& on_node) {
  for (Node& n : block) {
    for (ExpressionCode* e : {&n.address, &n.value}) {
      for (Instruction& i : e->code) {
        if (on_instruction) on_instruction(i);
      }
    }
    if (on_node) on_node(n);
    walk(n.body, on_instruction, on_node);
    walk(n.other, on_instruction, on_node);
    if (n.strip) walk(n.strip->body, on_instruction, on_node);
  }
}
Change everywhere(const OnInstruction& on_instruction, const OnNode& on_node = {}) {
  return [=](CompiledProgram& p) {
    for (LaunchCode& l : p.launches) walk(l.body, on_instruction, on_node);
    for (NodeBlock& b : p.scopes) walk(b, on_instruction, on_node);
  };
}
Change every_node(const OnNode& f) { return everywhere({}, f); }

}  // namespace

std::vector<EngineFault> engine_faults() {
  return {
      {"strips ignore what accesses do to each other", every_node([](Node& n) {
         if (n.strip) n.strip->hazards.clear();
       })},
      {"strips take the order of two accesses for the other one", every_node([](Node& n) {
         if (!n.strip) return;
         for (Hazard& h : n.strip->hazards) std::swap(h.first, h.second);
       })},
      {"an accumulation in a strip subtracts", every_node([](Node& n) {
         if (!n.fold || n.fold->types.arity != 2) return;
         n.fold->fold = nullptr;
         n.fold->kernel = find_kernel(Op::sub, n.fold->types.operand, n.fold->watched);
       })},
      {"an accumulation in a strip counts one operation less", every_node([](Node& n) {
         if (n.fold) --n.fold->cost;
       })},
      {"an accumulation in a strip loses its marks", every_node([](Node& n) {
         if (!n.fold) return;
         n.fold->watched = false;
         n.fold->kernel = find_kernel(n.source->value[0].op, n.fold->types.operand, false);
       })},
      {"loads read the next cell",
       [](CompiledProgram& p) {
         for (Access& a : p.accesses) {
           if (!a.dims.empty()) ++a.dims.back().index.constant;
         }
       }},
      {"stores go to the next cell", every_node([](Node& n) {
         if (n.kind == StmtKind::store && !n.target.dims.empty()) ++n.target.dims.back().index.constant;
       })},
      {"the indices of stores are not counted", every_node([](Node& n) { n.address_cost = 0; })},
      {"loads count one operation more", everywhere([](Instruction& i) {
         if (i.code == Code::load) ++i.cost;
       })},
      {"marks of operations are lost", everywhere([](Instruction& i) {
         if (i.watched && i.source->form == interp::Form::scalar_operation)
           i.kernel = find_kernel(i.op, i.types.operand, false);
         i.watched = false;
       })},
      {"variables without a value are read", everywhere([](Instruction& i) {
         if (i.code != Code::variable) return;
         i.code = Code::move;
         i.a = i.out;
       })},
      {"divisions by zero go unnoticed", everywhere([](Instruction& i) {
         if (i.code != Code::divide) return;
         i.code = Code::kernel;
         i.kernel = any_kernel();
       })},
      {"sums are differences", everywhere([](Instruction& i) {
         if (i.code == Code::kernel && i.op == Op::add) i.kernel = find_kernel(Op::sub, i.types.operand, i.watched);
       })},
      {"a condition chooses the other arm", everywhere([](Instruction& i) {
         if (i.code == Code::index_operation && i.op == Op::lt) i.op = Op::ge;
       })},
      {"loops end one iteration early", every_node([](Node& n) {
         if (n.kind == StmtKind::loop && n.source->axis == Axis::serial) --n.hi.constant;
       })},
      {"vectorized loops have a lane more", every_node([](Node& n) {
         if (n.kind == StmtKind::loop && n.source->axis == Axis::vectorized) ++n.hi.constant;
       })},
      {"threads pass barriers", every_node([](Node& n) {
         if (n.kind == StmtKind::barrier) n.rendezvous = false;
       })},
  };
}

}  // namespace assay::fuzz
