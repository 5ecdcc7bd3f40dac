#include "tools/report_page/job_lead.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

using nlohmann::ordered_json;

std::string lead(const ordered_json& job) { return job_lead({job, "job.json"}); }

TEST(JobLead, SaysWhatAJobThatSpilledDid) {
  const ordered_json job{{"input_bytes", 509'000'000},
                         {"seconds", 2.22},
                         {"bytes_per_second", 229e6},
                         {"threads", 2},
                         {"memory_bytes", 67'108'864},
                         {"peak_resident_bytes", 49'688'576},
                         {"index_bytes", 17'400'000},
                         {"documents", 9148},
                         {"runs", 20},
                         {"runs_spilled", 19},
                         {"spilled_bytes", 24'600'000},
                         {"bottleneck", "parse"},
                         {"skipped_records", 2}};
  EXPECT_EQ(
      lead(job),
      "509 MB took 2.22 s, which is 229 MB/s, with 2 threads and at most 47.4 MiB of a budget of 64.0 MiB. The "
      "index has 17.4 MB, for 9,148 documents. Memory did not hold all of it: 19 of 20 sorted runs (24.6 MB) went "
      "to scratch files. The stage that bounds the time is parse. 2 records were skipped: the reasons are below.");
}

// A sort has no index, and says not how many of its runs were spilled.
TEST(JobLead, LeavesOutWhatAJobDoesNotSay) {
  EXPECT_EQ(lead({{"input_bytes", 1'000'000}, {"seconds", 0.5}, {"threads", 1}, {"spilled_bytes", 2000}}),
            "1.00 MB took 500 ms, with 1 thread. Memory did not hold all of it: 2.00 kB went to scratch files.");
  EXPECT_EQ(lead({{"spilled_bytes", 0}, {"skipped_records", 0}}),
            "0 B took 0 s. Memory held all of it: nothing went to scratch files. No record was skipped.");
  EXPECT_THROW(lead({{"seconds", "long"}}), FormatError);
}

}  // namespace
}  // namespace spillway
