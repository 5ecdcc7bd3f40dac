// The findings of `doctor`: what the machine offers, what Spillway would use of it, and what should be fixed.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/memory/limits.hpp"
#include "sort/gpu/device/status.hpp"
#include "tools/doctor/disk_probe.hpp"

namespace spillway {

struct DirectoryFacts {
  std::string path;
  std::uint64_t free_bytes = 0;
  bool is_writable = false;
  std::optional<DiskSpeed> speed;
  std::string failure;  // error of the measurement; empty: none
};

// A GPU's free memory, or the error of asking for it. Neither for a GPU that is too old.
struct DeviceMemory {
  std::optional<std::uint64_t> free_bytes;
  std::string failure;
};

struct MachineFacts {
  std::vector<std::string> cpu_features;  // those that faster code paths of Spillway use
  std::string tokenizer_path;             // portable, sse2, avx2 or avx512
  unsigned processors = 0, usable_threads = 0;
  MemoryLimits memory;
  std::uint64_t free_memory_bytes = 0;  // available without swapping; 0: unknown
  std::uint64_t descriptors = 0, descriptors_at_most = 0;
  std::vector<DirectoryFacts> directories;
  GpuStatus gpus;
  std::vector<DeviceMemory> device_memory;  // by GPU; empty if `quick`
};

// Asks the system. Measures disks and asks for GPU memory unless `quick`.
MachineFacts machine_facts(const std::vector<std::string>& directories, bool quick,
                           const std::atomic<int>& signal_number);

enum class Verdict { kFine, kNote, kProblem };
struct Finding {
  std::string subject;  // "memory"
  Verdict verdict = Verdict::kFine;
  std::string words;   // what was found, and what Spillway would use of it
  std::string remedy;  // empty if nothing needs fixing
};

// Pure.
std::vector<Finding> findings(const MachineFacts& facts);

std::string findings_text(const std::vector<Finding>& findings);
nlohmann::ordered_json doctor_json(const MachineFacts& facts, const std::vector<Finding>& findings);

}  // namespace spillway
