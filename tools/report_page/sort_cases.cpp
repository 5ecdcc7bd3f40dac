#include "tools/report_page/sort_cases.hpp"

#include <algorithm>

namespace spillway {

namespace {

std::optional<Value> sum_of(const std::optional<Value>& a, const std::optional<Value>& b) {
  if (!a || !b) return std::nullopt;
  return Value{a->middle + b->middle, a->least + b->least, a->most + b->most};
}

std::string elements_of(const Reports& reports) {
  if (reports.front()->command.ends_with("strings")) return "strings";
  std::size_t cases = 0, of_pairs = 0;
  for (const JsonReport* report : reports) {
    for (const JsonView& one : report->view().at("cases").items()) ++cases, of_pairs += one.flag_at("pairs") ? 1 : 0;
  }
  return of_pairs == 0 ? "keys" : of_pairs == cases ? "pairs" : "records";
}

void add_case(const JsonView& view, const JsonReport& report, const Reports& all, SortCases& measured) {
  const bool is_strings = measured.what == "strings";
  SortCase one;
  one.input = view.at(is_strings ? "set" : "distribution").text();
  if (measured.what == "records" && view.flag_at("pairs")) one.input += ", pairs";
  one.count = view.at(is_strings ? "strings" : "count").number();
  one.bits = view.number_at("bits");
  one.bytes = view.at("bytes").number();
  const auto same = std::find_if(measured.cases.begin(), measured.cases.end(), [&](const SortCase& other) {
    return other.input == one.input && other.count == one.count && other.bits == one.bits;
  });
  SortCase& of = same == measured.cases.end() ? measured.cases.emplace_back(std::move(one)) : *same;
  for (const JsonView& sorter : view.at("sorters").items()) {
    of.sorters.push_back({series_name(sorter.at("sorter").text(), report, all), sorter.value_at("sort_seconds"),
                          sum_of(sorter.value_at("up_seconds"), sorter.value_at("down_seconds")),
                          sorter.value_at("from_pinned_seconds"), sorter.value_at("from_pageable_seconds"),
                          sorter.number_at("scratch_bytes")});
    const std::string& name = of.sorters.back().name;
    if (std::find(measured.names.begin(), measured.names.end(), name) == measured.names.end()) {
      measured.names.push_back(name);
    }
  }
}

}  // namespace

SortCases sort_cases(const Reports& reports) {
  SortCases measured{.what = elements_of(reports), .names = {}, .cases = {}};
  for (const JsonReport* report : reports) {
    for (const JsonView& one : report->view().at("cases").items()) add_case(one, *report, reports, measured);
  }
  return measured;
}

}  // namespace spillway
