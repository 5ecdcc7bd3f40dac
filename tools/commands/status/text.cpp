#include "tools/commands/status/text.hpp"

#include <algorithm>
#include <ctime>

#include "io/base/error.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

std::string status_row(const char* name, const std::string& value) { return left_aligned(name, 12) + value + "\n"; }

std::string inputs_text(const DescribedInputs& inputs) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, inputs.listed().size()); ++i) {
    text += status_row(i == 0 ? "inputs" : "", printable(inputs.listed()[i].path, 4096));
  }
  if (inputs.count() > kShown) text += status_row("", "and " + count_text(inputs.count() - kShown) + " more");
  return text;
}

nlohmann::ordered_json inputs_json(const DescribedInputs& inputs) {
  nlohmann::ordered_json paths = nlohmann::ordered_json::array();
  for (const DescribedInputs::Input& input : inputs.listed()) paths.push_back(input.path);
  return paths;
}

std::string time_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace spillway
