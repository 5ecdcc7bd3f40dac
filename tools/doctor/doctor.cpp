#include "tools/doctor/doctor.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "indexer/plan/memory.hpp"
#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/memory/limits.hpp"
#include "sort/gpu/device/error.hpp"
#include "text/scan/word_kernels.hpp"
#include "tools/cli/build_facts.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kProbeBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kLittleDisk = std::uint64_t{1} << 30;
constexpr std::uint64_t kFewDescriptors = 256;   // with fewer, merges need more passes
constexpr std::uint64_t kLeastDescriptors = 64;  // an index alone has 20 files
constexpr std::uint64_t kLittleDeviceMemory = std::uint64_t{1} << 30;
constexpr double kSlowDisk = 50e6;  // bytes per second: one core parses compressed text faster

std::vector<std::string> cpu_features() {
  std::vector<std::string> features;
  const auto note = [&](bool there, const char* name) {
    if (there) features.emplace_back(name);
  };
  note(__builtin_cpu_supports("sse4.2") != 0, "sse4.2");
  note(__builtin_cpu_supports("popcnt") != 0, "popcnt");
  note(__builtin_cpu_supports("avx2") != 0, "avx2");
  note(__builtin_cpu_supports("bmi") != 0, "bmi");
  note(__builtin_cpu_supports("avx512bw") != 0, "avx512bw");
  note(__builtin_cpu_supports("avx512vbmi") != 0, "avx512vbmi");
  note(__builtin_cpu_supports("avx512vbmi2") != 0, "avx512vbmi2");
  return features;
}

std::uint64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) * 1024;
  }
  return 0;
}

DirectoryFacts directory_facts(const std::string& path, bool quick, const std::atomic<int>& signal_number) {
  DirectoryFacts facts;
  facts.path = path;
  facts.free_bytes = posix_file_system().free_bytes(path);
  facts.is_writable = access(path.c_str(), W_OK | X_OK) == 0;
  if (quick || !facts.is_writable || facts.free_bytes <= 2 * kProbeBytes) return facts;
  try {
    facts.speed = measure_disk(path, kProbeBytes, signal_number);
  } catch (const IoError& error) {
    facts.failure = error.what();
  }
  return facts;
}

std::string limit_text(std::size_t bytes) { return bytes == MemoryLimits::kNone ? "none" : memory_text(bytes); }

Finding cpu_finding(const MachineFacts& facts) {
  Finding finding{"cpu", Verdict::kFine, "", ""};
  std::string features;
  for (const std::string& feature : facts.cpu_features) features += (features.empty() ? "" : " ") + feature;
  finding.words = count_text(facts.usable_threads) + " of " + count_text(facts.processors) +
                  " processors may be used; features " + (features.empty() ? "none" : features) +
                  "; text is tokenized by the " + facts.tokenizer_path + " path";
  if (facts.usable_threads < facts.processors) {
    finding.verdict = Verdict::kNote;
    finding.remedy = "this process is bound to some of the processors (taskset, cpuset); unbind it for more threads";
  }
  return finding;
}

Finding memory_finding(const MachineFacts& facts) {
  const std::size_t least = facts.memory.least_bytes();
  Finding finding{"memory", Verdict::kFine, "", ""};
  finding.words = "RAM " + memory_text(facts.memory.ram_bytes) + ", cgroup v2 " +
                  limit_text(facts.memory.cgroup2_bytes) + ", cgroup v1 " + limit_text(facts.memory.cgroup1_bytes) +
                  ", ulimit -v " + limit_text(facts.memory.address_space_bytes) + ", ulimit -d " +
                  limit_text(facts.memory.data_bytes) + "; --memory would be " + memory_text(least / 2) +
                  ", half of the least: " + facts.memory.least_name();
  if (least / 2 < kMinMemoryBytes) {
    finding.verdict = Verdict::kProblem;
    finding.remedy = "that is below the floor of 64 MiB: raise the limit, or give --memory 64M";
  } else if (facts.free_memory_bytes != 0 && facts.free_memory_bytes < least / 2) {
    finding.verdict = Verdict::kNote;
    finding.remedy = "other processes leave only " + memory_text(facts.free_memory_bytes) +
                     " free now: give --memory that much at most, or the machine will swap";
  }
  return finding;
}

Finding descriptor_finding(const MachineFacts& facts) {
  Finding finding{"open files", Verdict::kFine, "", ""};
  finding.words = count_text(facts.descriptors) + " may be open, at most " + count_text(facts.descriptors_at_most);
  if (facts.descriptors >= kFewDescriptors) return finding;
  finding.verdict = facts.descriptors < kLeastDescriptors ? Verdict::kProblem : Verdict::kNote;
  const std::uint64_t possible = std::min<std::uint64_t>(1024, facts.descriptors_at_most);
  finding.remedy = (possible > facts.descriptors ? "raise it: ulimit -n " + std::to_string(possible)
                                                 : "let an administrator raise the hard limit (ulimit -Hn)") +
                   "; with few, many runs need more merge passes";
  return finding;
}

Finding directory_finding(const DirectoryFacts& directory) {
  Finding finding{"disk", Verdict::kFine,
                  printable(directory.path, 4096) + ": " + bytes_text(directory.free_bytes) + " free", ""};
  if (directory.speed) {
    finding.words += ", writes " + rate_text(static_cast<std::uint64_t>(directory.speed->write_bytes_per_second), 1) +
                     " (synced), reads " +
                     rate_text(static_cast<std::uint64_t>(directory.speed->read_bytes_per_second), 1);
  }
  if (!directory.is_writable) {
    finding.verdict = Verdict::kProblem;
    finding.remedy = "it cannot be written: choose another directory for -o and --temp-dir, or change its rights";
  } else if (!directory.failure.empty()) {
    finding.verdict = Verdict::kProblem;
    finding.words += "; the measurement failed";
    finding.remedy = directory.failure;
  } else if (directory.free_bytes < kLittleDisk) {
    finding.verdict = Verdict::kProblem;
    finding.remedy =
        "an index and its runs may take as much as half of the plain text: free some space, or use another disk";
  } else if (directory.speed && directory.speed->write_bytes_per_second < kSlowDisk) {
    finding.verdict = Verdict::kNote;
    finding.remedy = "slow: put --temp-dir on a faster disk, or give more --memory so that less is spilled";
  }
  return finding;
}

const char* gpu_state_name(GpuState state) {
  switch (state) {
    case GpuState::kUsable:
      return "usable";
    case GpuState::kNotBuilt:
      return "not built";
    case GpuState::kNoDriver:
      return "no driver";
    case GpuState::kDriverTooOld:
      return "driver too old";
    case GpuState::kNoDevice:
      return "no device";
    case GpuState::kTooOld:
      return "device too old";
    case GpuState::kFailed:
      return "failed";
  }
  return "";
}

// A missing GPU is fine; a GPU that could be made usable is a note.
Finding gpu_finding(const GpuStatus& gpus) {
  Finding finding{"gpu", Verdict::kFine, "", ""};
  const std::string versions = (gpus.driver_version.empty() ? "" : "; driver for CUDA " + gpus.driver_version) +
                               (gpus.runtime_version.empty() ? "" : "; this program has CUDA " + gpus.runtime_version);
  if (gpus.state == GpuState::kUsable) {
    finding.words = gpus.detail + versions + "; --mode would be gpu+";
    return finding;
  }
  finding.words = gpus.detail + versions + "; blocks are sorted on the CPU, --mode would be cpu+";
  if (gpus.state == GpuState::kDriverTooOld || gpus.state == GpuState::kFailed || gpus.state == GpuState::kTooOld) {
    finding.verdict = Verdict::kNote;
    finding.remedy = "fix that for GPU sorting; everything works without a GPU";
  }
  return finding;
}

Finding device_finding(const GpuInfo& gpu, const DeviceMemory& memory) {
  Finding finding{"gpu " + std::to_string(gpu.id), Verdict::kFine, "", ""};
  finding.words = printable(gpu.name) + ", compute capability " + std::to_string(gpu.major) + "." +
                  std::to_string(gpu.minor) + ", " + count_text(static_cast<std::uint64_t>(gpu.multiprocessors)) +
                  " multiprocessors, " + memory_text(gpu.memory_bytes) + " at " + gpu.pci_address;
  if (memory.free_bytes) {
    const std::uint64_t free_bytes = *memory.free_bytes;
    finding.words += ", " + memory_text(free_bytes) + " free; --gpu-memory would be " + memory_text(free_bytes / 5 * 4);
    if (free_bytes < kLittleDeviceMemory) {
      finding.verdict = Verdict::kNote;
      finding.remedy =
          "other programs hold its memory: blocks will be small; end them, or choose another GPU with --gpu";
    }
  }
  if (!memory.failure.empty()) {
    finding.words += "; it fails: " + printable(memory.failure);
    finding.verdict = Verdict::kNote;
    finding.remedy =
        "see nvidia-smi and the kernel's log, or choose another GPU with --gpu; everything works without a GPU";
  }
  if (!gpu.is_usable()) {
    finding.verdict = Verdict::kNote;
    finding.remedy = "older than compute capability 7.5: it is not used";
  }
  return finding;
}

const char* verdict_name(Verdict verdict) {
  return verdict == Verdict::kFine ? "fine" : verdict == Verdict::kNote ? "note" : "problem";
}

ordered_json limit_json(std::size_t bytes) {
  return bytes == MemoryLimits::kNone ? ordered_json() : ordered_json(bytes);
}

DeviceMemory device_memory(const GpuInfo& gpu) {
  if (!gpu.is_usable()) return {};
  try {
    return {free_device_bytes(gpu.id), ""};
  } catch (const GpuError& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

MachineFacts machine_facts(const std::vector<std::string>& directories, bool quick,
                           const std::atomic<int>& signal_number) {
  MachineFacts facts;
  facts.cpu_features = cpu_features();
  facts.tokenizer_path = word_kernels(WordBytes::kWithHighBytes).name;
  facts.processors = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  facts.usable_threads = usable_threads();
  facts.memory = memory_limits();
  facts.free_memory_bytes = free_memory();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    facts.descriptors = limit.rlim_cur;
    facts.descriptors_at_most = limit.rlim_max;
  }
  for (const std::string& directory : directories) {
    facts.directories.push_back(directory_facts(directory, quick, signal_number));
  }
  facts.gpus = find_gpus();
  if (quick) return facts;
  for (const GpuInfo& gpu : facts.gpus.gpus) facts.device_memory.push_back(device_memory(gpu));
  return facts;
}

std::vector<Finding> findings(const MachineFacts& facts) {
  std::vector<Finding> all{cpu_finding(facts), memory_finding(facts), descriptor_finding(facts)};
  for (const DirectoryFacts& directory : facts.directories) all.push_back(directory_finding(directory));
  all.push_back(gpu_finding(facts.gpus));
  for (std::size_t i = 0; i < facts.gpus.gpus.size(); ++i) {
    const bool was_asked = i < facts.device_memory.size();
    all.push_back(device_finding(facts.gpus.gpus[i], was_asked ? facts.device_memory[i] : DeviceMemory{}));
  }
  return all;
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  std::size_t problems = 0;
  for (const Finding& finding : findings) {
    text += left_aligned(verdict_name(finding.verdict), 9) + left_aligned(finding.subject, 12) +
            printable_lines(finding.words) + "\n";
    if (!finding.remedy.empty()) text += std::string(21, ' ') + "-> " + printable_lines(finding.remedy) + "\n";
    problems += finding.verdict == Verdict::kProblem ? 1 : 0;
  }
  return text + (problems == 0 ? "all fine\n" : count_text(problems) + (problems == 1 ? " problem\n" : " problems\n"));
}

ordered_json doctor_json(const MachineFacts& facts, const std::vector<Finding>& findings) {
  ordered_json directories = ordered_json::array(), list = ordered_json::array(), gpus = ordered_json::array();
  for (const DirectoryFacts& directory : facts.directories) {
    directories.push_back({{"path", directory.path},
                           {"free_bytes", directory.free_bytes},
                           {"writable", directory.is_writable},
                           {"write_bytes_per_second",
                            directory.speed ? ordered_json(directory.speed->write_bytes_per_second) : ordered_json()},
                           {"read_bytes_per_second",
                            directory.speed ? ordered_json(directory.speed->read_bytes_per_second) : ordered_json()}});
  }
  for (const GpuInfo& gpu : facts.gpus.gpus) {
    gpus.push_back({{"id", gpu.id},
                    {"name", gpu.name},
                    {"compute_capability", std::to_string(gpu.major) + "." + std::to_string(gpu.minor)},
                    {"memory_bytes", gpu.memory_bytes},
                    {"multiprocessors", gpu.multiprocessors},
                    {"pci_address", gpu.pci_address},
                    {"usable", gpu.is_usable()}});
  }
  for (const Finding& finding : findings) {
    list.push_back({{"subject", finding.subject},
                    {"verdict", verdict_name(finding.verdict)},
                    {"found", finding.words},
                    {"remedy", finding.remedy.empty() ? ordered_json() : ordered_json(finding.remedy)}});
  }
  return {{"program", "spillway"},
          {"version", kVersion},
          {"cpu_features", facts.cpu_features},
          {"tokenizer_path", facts.tokenizer_path},
          {"processors", facts.processors},
          {"threads", facts.usable_threads},
          {"ram_bytes", facts.memory.ram_bytes},
          {"cgroup2_bytes", limit_json(facts.memory.cgroup2_bytes)},
          {"cgroup1_bytes", limit_json(facts.memory.cgroup1_bytes)},
          {"address_space_bytes", limit_json(facts.memory.address_space_bytes)},
          {"data_bytes", limit_json(facts.memory.data_bytes)},
          {"free_memory_bytes", facts.free_memory_bytes},
          {"default_memory_bytes", facts.memory.least_bytes() / 2},
          {"descriptors", facts.descriptors},
          {"descriptors_at_most", facts.descriptors_at_most},
          {"directories", directories},
          {"gpu_state", gpu_state_name(facts.gpus.state)},
          {"cuda_driver", facts.gpus.driver_version},
          {"cuda_runtime", facts.gpus.runtime_version},
          {"gpus", gpus},
          {"findings", list}};
}

}  // namespace spillway
