// The first section of a page of papers: what they found, and what was measured here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/page/model.hpp"
#include "tools/report_page/json_view.hpp"

namespace spillway {

// An item of `bench paper` with the name of its report.
struct ReportedItem {
  std::string label;
  JsonView item;
};

// Every ratio and rate that a paper prints and that was measured here, as two marks on a line; one of several reports
// has a mark for each. Says what the lack of a GPU left out. Nothing where there is neither.
std::optional<PageSection> paper_glance(const std::vector<ReportedItem>& items);

}  // namespace spillway
