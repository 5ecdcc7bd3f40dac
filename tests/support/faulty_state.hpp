// The state shared by a FaultyFileSystem and its open files: the tree of nodes, the injected fault and the counts.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/support/faulty_file_system.hpp"

namespace spillway::testing {

// Operations, by the faults that they can have.
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

// A file or directory, with the part that would survive a power loss.
struct Node {
  bool is_directory = false;
  std::string content, synced_content;
  bool sync_failed = false;  // later syncs succeed, but the data unsynced at the time of the failure is lost
  std::map<std::string, std::shared_ptr<Node>> children, synced_children;
  std::int64_t modified_ns = 0;
  bool locked = false;

  void lose_power() {
    content = synced_content;
    children = synced_children;
    for (auto& [name, child] : children) child->lose_power();
  }
  // A rename reaches the disk as a whole: drops the lasting names, below this node, of what now has one in `directory`.
  void drop_moved(const Node& directory) {
    const auto is_moved = [&](const auto& entry) {
      const auto now = children.find(entry.first);
      if (now != children.end() && now->second == entry.second) return false;
      return std::any_of(directory.children.begin(), directory.children.end(),
                         [&](const auto& child) { return child.second == entry.second; });
    };
    std::erase_if(synced_children, is_moved);
    for (auto& [name, child] : children) child->drop_moved(directory);
  }
  void unlock() {
    locked = false;
    for (auto& [name, child] : children) child->unlock();
  }
};

std::shared_ptr<Node> make_node(bool is_directory);
// Returns the names of the absolute path, without ".", ".." and empty names.
std::vector<std::string> split_path(const std::string& path);

// Requires: the mutex is held for every access to the other members.
struct FaultyFileSystem::State {
  mutable std::mutex mutex;
  std::shared_ptr<Node> root = make_node(true);
  Fault fault;
  std::uint64_t operations = 0, eligible = 0, fired = 0, generation = 0, unique_names = 0;
  std::uint64_t free_bytes = std::uint64_t{1} << 40;
  bool is_in_memory = false;
  std::int64_t clock_ns = 0;
  bool crashed = false, can_exchange = true;

  // Counts an operation, and fails it if a fault is due. Returns the fault if the operation itself must act on it.
  FaultKind begin(Operation operation, std::string_view action, const std::string& path);
  std::shared_ptr<Node> find(const std::string& path) const;
  std::shared_ptr<Node> require(const std::string& path, std::string_view action) const;
  std::shared_ptr<Node> require_file(const std::string& path, std::string_view action) const;
  std::shared_ptr<Node> require_parent(const std::string& path, std::string_view action) const;
  static std::string name_of(const std::string& path);
  std::shared_ptr<Node> add(const std::string& path, bool is_directory, std::string_view action);
};

}  // namespace spillway::testing
