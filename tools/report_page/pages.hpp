// Makes the page of one or several reports.
#pragma once

#include <vector>

#include "tools/page/model.hpp"
#include "tools/report_page/read_reports.hpp"

namespace spillway {

// Reports of the same benchmark share their plots, so that machines can be compared. Throws FormatError if a report is
// of a command that has no page, or lacks what one shows. Requires: reports is not empty.
Page page_of(const std::vector<JsonReport>& reports);

// The page of a job's report, as HTML. Throws as page_of().
std::string job_page_html(const nlohmann::ordered_json& report);

// The sections of reports of one kind. Requires, for all but the jobs: all have the same command.
using Reports = std::vector<const JsonReport*>;
std::vector<PageSection> sort_sections(const Reports& reports);         // bench sort records, bench sort strings
std::vector<PageItem> sort_plots(const Reports& reports);               // the plots of those
std::vector<PageSection> modes_sections(const Reports& reports);        // bench modes
std::vector<PageSection> sweep_sections(const Reports& reports);        // bench modes --sweep
std::vector<PageSection> calibration_sections(const Reports& reports);  // bench calibrate
std::vector<PageSection> paper_sections(const Reports& reports);        // bench paper
std::vector<PageSection> counters_sections(const Reports& reports);     // bench/sort_counters.py
std::vector<PageSection> job_sections(const JsonReport& report);        // index, append, merge, delete, sort

// The name of a series in a plot that several reports may share.
std::string series_name(const std::string& name, const JsonReport& report, const Reports& all);

}  // namespace spillway
