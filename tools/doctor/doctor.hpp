// What a machine offers a job, what Spillway would use of it, and what should be mended: the findings of `doctor`.
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
  std::string failure;  // of measuring it; empty: none
};

// What a GPU said when it was asked for its free memory: a number, or what it failed with. Neither where it is too old.
struct DeviceMemory {
  std::optional<std::uint64_t> free_bytes;
  std::string failure;
};

struct MachineFacts {
  std::vector<std::string> cpu_features;  // those that Spillway has faster paths for
  std::string tokenizer_path;             // the one that this CPU takes: portable, sse2, avx2, avx512
  unsigned processors = 0, usable_threads = 0;
  MemoryLimits memory;
  std::uint64_t free_memory_bytes = 0;  // what the system could give now without swapping; 0: unknown
  std::uint64_t descriptors = 0, descriptors_at_most = 0;
  std::vector<DirectoryFacts> directories;
  GpuStatus gpus;
  std::vector<DeviceMemory> device_memory;  // by GPU; empty where none was asked (`quick`)
};

// Asks the system; measures disks unless `quick`.
MachineFacts machine_facts(const std::vector<std::string>& directories, bool quick,
                           const std::atomic<int>& signal_number);

enum class Verdict { kFine, kNote, kProblem };
struct Finding {
  std::string subject;  // "memory"
  Verdict verdict = Verdict::kFine;
  std::string words;   // what was found, and what Spillway would use of it
  std::string remedy;  // empty if there is nothing to mend
};

// Pure.
std::vector<Finding> findings(const MachineFacts& facts);

std::string findings_text(const std::vector<Finding>& findings);
nlohmann::ordered_json doctor_json(const MachineFacts& facts, const std::vector<Finding>& findings);

}  // namespace spillway
