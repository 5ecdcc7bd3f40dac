// The jobs of `spillway sort` that the sweep runs.
#pragma once

#include <string>
#include <vector>

#include "tests/sweep/scenario.hpp"

namespace spillway::sweep {

std::vector<Scenario> sort_scenarios();
// What is there before: texts below in/, and the directories temp/ and place/.
Tree sort_inputs();
bool is_packed(const std::string& path);
// Whether a sort that gets or puts other bytes in this call says so: runs and packed inputs have checksums, text has
// none, and what begins in another way is not taken for packed.
bool sort_notices(const Event& event);

}  // namespace spillway::sweep
