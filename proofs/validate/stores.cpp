// The index of stores, and the merging of constant cells to boxes.
#include "proofs/validate/stores.hpp"

#include <algorithm>

namespace assay::derive {

std::optional<Cell> constant_cell(const Access& a) {
  if (a.variable || a.whole) return std::nullopt;
  Cell cell;
  cell.reserve(a.indices.size());
  for (const Expr& e : a.indices) {
    if (e->op != Op::index || !e->index.is_constant()) return std::nullopt;
    cell.push_back(e->index.constant());
  }
  return cell;
}

StoreIndex::StoreIndex(const Extraction& extraction) {
  for (std::size_t i = 0; i < extraction.nodes.size(); ++i) {
    const Access* store = extraction.nodes[i].store();
    if (!store) continue;
    Of& of = by_storage_[store->storage];
    of.all.push_back(i);
    if (auto cell = constant_cell(*store)) {
      of.constant[*cell].push_back(i);
    } else {
      of.varying.push_back(i);
    }
  }
}

const std::vector<std::size_t>& StoreIndex::all(const Symbol& storage) const {
  static const std::vector<std::size_t> none;
  const auto it = by_storage_.find(storage);
  return it == by_storage_.end() ? none : it->second.all;
}

const std::vector<std::size_t>& StoreIndex::varying(const Symbol& storage) const {
  static const std::vector<std::size_t> none;
  const auto it = by_storage_.find(storage);
  return it == by_storage_.end() ? none : it->second.varying;
}

std::vector<std::size_t> StoreIndex::meeting(const Symbol& storage, const Cell& cell) const {
  const auto it = by_storage_.find(storage);
  if (it == by_storage_.end()) return {};
  std::vector<std::size_t> out = it->second.varying;
  if (const auto same = it->second.constant.find(cell); same != it->second.constant.end())
    out.insert(out.end(), same->second.begin(), same->second.end());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Box> merged(const std::vector<Cell>& cells) {
  std::vector<Box> boxes;
  boxes.reserve(cells.size());
  for (const Cell& c : cells) {
    Box b;
    for (const std::int64_t i : c) b.emplace_back(i, i);
    boxes.push_back(std::move(b));
  }
  std::sort(boxes.begin(), boxes.end());
  boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
  const std::size_t dimensions = boxes.empty() ? 0 : boxes[0].size();
  for (std::size_t d = dimensions; d-- > 0;) {
    const auto others_alike = [d](const Box& a, const Box& b) {
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (k != d && a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
      }
      return 0;
    };
    std::sort(boxes.begin(), boxes.end(), [&](const Box& a, const Box& b) {
      const int c = others_alike(a, b);
      return c != 0 ? c < 0 : a[d] < b[d];
    });
    std::vector<Box> wider;
    for (Box& b : boxes) {
      if (!wider.empty() && others_alike(wider.back(), b) == 0 && wider.back()[d].second + 1 == b[d].first) {
        wider.back()[d].second = b[d].second;
      } else {
        wider.push_back(std::move(b));
      }
    }
    boxes = std::move(wider);
  }
  return boxes;
}

}  // namespace assay::derive
