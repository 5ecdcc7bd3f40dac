// What a disk may hold after a crash: the model knows what is surely on it (synced), and keeps any part of the rest.
// It is harder than a journaling file system: changes of names and writes reach the disk in any order, each or not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/sweep/observer.hpp"
#include "tests/sweep/tree.hpp"

namespace spillway::sweep {

// What of the unsynced reaches the disk.
enum class Survival {
  kAll,        // the process was killed, the machine goes on
  kNothing,    // nothing but what was synced
  kNames,      // all changes of names, no bytes: renames before their data, files of zero length
  kZeros,      // the same, but files have their length, full of zeros
  kTornBytes,  // all changes of names; of each file some of the writes, torn
  kBytes,      // no change of names, all bytes
  kSome,       // some changes of names, some writes
  kAllButOne,  // one change of names is lost, and nothing else
};
constexpr std::uint64_t kSurvivals = 8;

class Disk {
 public:
  // `start` is synced.
  explicit Disk(const Tree& start);
  void apply(std::span<const Event> events);
  Tree crash(Survival survival, std::mt19937_64& random) const;

 private:
  using Node = std::size_t;
  using Names = std::map<std::string, Node>;
  struct Write {
    std::uint64_t offset;
    std::string bytes;
    bool cuts = false;  // the file then has `offset` bytes
  };
  struct File {
    bool is_directory = false;
    std::string synced;
    std::vector<Write> writes;  // since the last sync
  };
  // A change of one or two names that happens as a whole.
  struct Entry {
    Node directory;
    std::string name;
    std::optional<Node> node;  // nothing: the name goes
  };
  using Change = std::vector<Entry>;
  using Directories = std::map<Node, Names>;

  void apply(const Event& event);
  static void apply(const Write& write, std::string& content);
  void create(const Event& event);
  void move(const Event& event);
  void sync_directory(Node directory);
  void change(const Change& change);
  std::optional<Node> find(const std::string& path) const;
  Node parent_of(const std::string& path) const;
  Node add(bool is_directory);
  std::vector<bool> surviving_changes(Survival survival, std::mt19937_64& random) const;
  std::string surviving_bytes(const File& file, Survival survival, std::mt19937_64& random) const;
  static void persist(const Change& change, Directories& directories);

  std::vector<File> files_;
  Directories now_, synced_;
  std::vector<Change> pending_;
  std::map<std::uint64_t, Node> open_;  // by the number of the open file
};

}  // namespace spillway::sweep
