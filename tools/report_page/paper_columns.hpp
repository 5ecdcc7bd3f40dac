// Ratios of columns of the papers' tables, there and here: how many times as fast one sort or indexer is as another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/page/model.hpp"
#include "tools/report_page/json_view.hpp"

namespace spillway {

struct ColumnRatio {
  std::string name;  // "Deshpande table III: singletons removed"
  double paper = 0, here = 0;
};

// Those of an item of `bench paper` that both sides have: of times by set the geometric mean over the sets that both
// have, of jobs the ratio at the largest collection of each. Throws FormatError where a case lacks its members.
std::vector<ColumnRatio> column_ratios(const JsonView& item);

// Returns, of table 2 of capannini2012, the gains of ingest and whole job of each indexer over one thread with a
// quicksort, for each size here and in the paper. Nothing where the item is another, or has no modes for it.
std::optional<Table> indexer_table(const JsonView& item);

}  // namespace spillway
