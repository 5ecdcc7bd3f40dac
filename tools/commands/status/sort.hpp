// The state of a sort with --resumable.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sort/lines/resume/status.hpp"

namespace spillway {

// `directory`: as the user named it. `next`: how to go on.
nlohmann::ordered_json sort_status_json(const std::string& directory, const SortStatus& status,
                                        const std::string& next);
std::string sort_status_text(const SortStatus& status, const std::string& next);

}  // namespace spillway
