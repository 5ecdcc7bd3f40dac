#include "tools/report/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>

#include "io/memory/limits.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

// The version of the kernel module, such as 580.65.06; empty without one.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string word = line.substr(begin, end - begin);
    const auto is_version = [](char c) { return c == '.' || (c >= '0' && c <= '9'); };
    if (word.find('.') != std::string::npos && std::all_of(word.begin(), word.end(), is_version)) return word;
    begin = end + 1;
  }
  return "";
}

ordered_json gpus_json(const GpuStatus& status) {
  ordered_json gpus = ordered_json::array();
  for (const GpuInfo& gpu : status.gpus) {
    gpus.push_back({{"id", gpu.id},
                    {"name", gpu.name},
                    {"compute_capability", std::to_string(gpu.major) + "." + std::to_string(gpu.minor)},
                    {"memory_bytes", gpu.memory_bytes},
                    {"multiprocessors", gpu.multiprocessors}});
  }
  return gpus;
}

}  // namespace

ordered_json machine_json(const GpuStatus& gpus) {
  utsname system{};
  uname(&system);
  return {{"processor", processor_name()},
          {"processors", sysconf(_SC_NPROCESSORS_ONLN)},
          {"usable_threads", usable_threads()},
          {"ram_bytes", memory_limits().ram_bytes},
          {"kernel", std::string(system.sysname) + " " + system.release},
          {"gpus", gpus_json(gpus)},
          {"gpu_state", gpus.detail},
          {"driver", driver_version()},
          {"driver_cuda", gpus.driver_version},
          {"runtime_cuda", gpus.runtime_version}};
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace spillway
