#include "tools/bench/report.hpp"

#include "tools/cli/build_facts.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/machine.hpp"

namespace spillway {

using nlohmann::ordered_json;

ordered_json bench_head(const std::string& command, const GpuStatus& gpus) {
  const BuildFacts& build = build_facts();
  return {{"program", "spillway"},  {"command", command},           {"version", build.version},
          {"commit", build.commit}, {"compiler", build.compiler},   {"flags", build.flags},
          {"date", date_text()},    {"machine", machine_json(gpus)}};
}

std::string bench_head_text(const ordered_json& head) {
  const ordered_json& machine = head.at("machine");
  std::string text = "spillway " + head.at("version").get<std::string>() + ", commit " +
                     head.at("commit").get<std::string>() + ", " + head.at("compiler").get<std::string>() + "\n" +
                     machine.at("processor").get<std::string>() + ", " +
                     count_text(machine.at("usable_threads").get<std::uint64_t>()) + " threads, " +
                     memory_text(machine.at("ram_bytes").get<std::uint64_t>());
  for (const ordered_json& gpu : machine.at("gpus")) {
    text += "; GPU " + std::to_string(gpu.at("id").get<int>()) + ": " + gpu.at("name").get<std::string>();
  }
  if (machine.at("gpus").empty()) return text + "; no GPU\n";
  return text + ", driver " + machine.at("driver").get<std::string>() + "\n";
}

}  // namespace spillway
