// The first lines of a job's page: what it did, in sentences.
#pragma once

#include <string>

#include "tools/report_page/json_view.hpp"

namespace spillway {

// "509 MB took 2.22 s, which is 229 MB/s, with 2 threads and at most 47.4 MiB of a budget of 64.0 MiB. ..." of a job
// that succeeded. Throws FormatError where a member has another type.
std::string job_lead(const JsonView& job);

}  // namespace spillway
