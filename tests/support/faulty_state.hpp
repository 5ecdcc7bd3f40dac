// What a FaultyFileSystem and its open files share: the tree of nodes, the fault to inject and the counts.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/support/faulty_file_system.hpp"

namespace spillway::testing {

// By what can go wrong with it.
enum class Operation {
  kOpens,
  kCreates,
  kLooks,
  kLists,
  kChangesNames,
  kRemoves,
  kSyncsDirectory,
  kReads,
  kAppends,
  kSyncs,
  kCloses
};

// A file or a directory, with what of it would survive a loss of power.
struct Node {
  bool is_directory = false;
  std::string content, synced_content;
  bool sync_failed = false;  // what was not synced then is forgotten: later syncs succeed and bring nothing to disk
  std::map<std::string, std::shared_ptr<Node>> children, synced_children;
  std::int64_t modified_ns = 0;
  bool locked = false;

  void lose_power() {
    content = synced_content;
    children = synced_children;
    for (auto& [name, child] : children) child->lose_power();
  }
  void unlock() {
    locked = false;
    for (auto& [name, child] : children) child->unlock();
  }
};

std::shared_ptr<Node> make_node(bool is_directory);
// The names of the absolute form, without ".", ".." and empty ones.
std::vector<std::string> split_path(const std::string& path);

// Requires the mutex for everything below it.
struct FaultyFileSystem::State {
  mutable std::mutex mutex;
  std::shared_ptr<Node> root = make_node(true);
  Fault fault;
  std::uint64_t operations = 0, eligible = 0, fired = 0, generation = 0;
  std::uint64_t free_bytes = std::uint64_t{1} << 40;
  std::int64_t clock_ns = 0;
  bool crashed = false, can_exchange = true;

  // Counts an operation and fails it if it is its turn. Returns the fault if the operation itself must act on it.
  FaultKind begin(Operation operation, std::string_view action, const std::string& path);
  std::shared_ptr<Node> find(const std::string& path) const;
  std::shared_ptr<Node> require(const std::string& path, std::string_view action) const;
  std::shared_ptr<Node> require_file(const std::string& path, std::string_view action) const;
  std::shared_ptr<Node> require_parent(const std::string& path, std::string_view action) const;
  static std::string name_of(const std::string& path);
  std::shared_ptr<Node> add(const std::string& path, bool is_directory, std::string_view action);
};

}  // namespace spillway::testing
