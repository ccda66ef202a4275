// One walk over compiled code; a fault is what it does to an instruction or to a statement.
#include "fuzz/mutants/engine_faults.hpp"

#include "interp/compiled/code.hpp"
#include "interp/compiled/nest.hpp"

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

Change every_nest(const std::function<void(NestCode&)>& f) {
  return every_node([=](Node& n) {
    if (n.nest) f(*n.nest);
  });
}
Change every_leaf_of_nests(const std::function<void(NestItem&)>& f) {
  return every_nest([=](NestCode& c) {
    for (NestLoop& l : c.loops) {
      for (NestItem& item : l.body) {
        if (item.loop < 0) f(item);
      }
    }
  });
}
// The other type of 8 bits; other types stay.
Type swapped(Type t) { return t == Type::f8e5m2 ? Type::f8e4m3fn : t == Type::f8e4m3fn ? Type::f8e5m2 : t; }

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
      {"the floats of 8 bits are taken for each other in operations", everywhere([](Instruction& i) {
         if (i.code == Code::kernel && i.source->form == interp::Form::scalar_operation &&
             swapped(i.types.operand) != i.types.operand)
           i.kernel = find_kernel(i.op, swapped(i.types.operand), i.watched);
       })},
      {"the floats of 8 bits are taken for each other in accumulations", every_node([](Node& n) {
         if (n.fold && n.fold->fold != nullptr && swapped(n.fold->types.operand) != n.fold->types.operand)
           n.fold->fold = find_fold(n.source->value[0].op, swapped(n.fold->types.operand), n.fold->watched);
       })},
      {"blocks are mixed with the key for the counter", everywhere([](Instruction& i) {
         if (i.op == Op::threefry_light || i.op == Op::threefry_crypto) std::swap(i.a, i.b);
       })},
      {"blocks are mixed by the other function", everywhere([](Instruction& i) {
         if (i.op == Op::threefry_light) i.kernel = find_kernel(Op::threefry_crypto, Type::u32x4, false);
       })},
      {"accesses of nests stand still along a loop", every_nest([](NestCode& c) {
         for (NestStream& s : c.streams) {
           for (NestLine& d : s.dims) d.along.back() = 0;
         }
       })},
      {"nests read cells without a value", every_leaf_of_nests([](NestItem& item) { item.reads.clear(); })},
      {"nests count an operation less", every_nest([](NestCode& c) { --c.loops.back().cost; })},
      {"nests subtract where they multiply and add", every_leaf_of_nests([](NestItem& item) {
         for (NestOp& op : item.ops) {
           if (op.c >= 0 && op.step != nullptr) op.step = find_step(Op::sub, op.types.operand);
         }
       })},
      {"what nests store has no value", every_leaf_of_nests([](NestItem& item) { item.state = 0; })},
      {"nests run any number of lanes as if each touched its own cells", every_nest([](NestCode& c) {
         for (NestStream& s : c.streams) s.store = false;
       })},
      {"threads in lockstep may meet in any cell",
       [](CompiledProgram& p) {
         for (LaunchCode& l : p.launches) {
           if (l.lockstep) l.lockstep->meetings.clear();
         }
       }},
      {"groups in lockstep may meet in any cell",
       [](CompiledProgram& p) {
         for (LaunchCode& l : p.launches) {
           if (l.lockstep) l.lockstep->across.clear();
         }
       }},
      {"threads in lockstep pass barriers", every_node([](Node& n) {
         if (n.kind == StmtKind::barrier) n.kind = StmtKind::launch;
       })},
      {"threads pass barriers", every_node([](Node& n) {
         if (n.kind == StmtKind::barrier) n.rendezvous = false;
       })},
  };
}

}  // namespace assay::fuzz
