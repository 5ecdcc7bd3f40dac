#include "tests/sweep/disk.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace spillway::sweep {

namespace {

constexpr std::size_t kRoot = 0;
constexpr std::size_t kSectorBytes = 512;

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void write_over(std::string& content, std::uint64_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size(), '\0');
  content.replace(offset, bytes.size(), bytes);
}

}  // namespace

Disk::Disk(const Tree& start) {
  add(true);
  for (const auto& [path, bytes] : start) {
    const Node node = add(!bytes);
    if (bytes) files_[node].synced = *bytes;
    now_[parent_of(path)][name_of(path)] = node;
  }
  synced_ = now_;
}

Disk::Node Disk::add(bool is_directory) {
  files_.push_back({is_directory, {}, {}});
  if (is_directory) now_[files_.size() - 1];
  return files_.size() - 1;
}

std::optional<Disk::Node> Disk::find(const std::string& path) const {
  Node node = kRoot;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const auto names = now_.find(node);
    if (names == now_.end()) return std::nullopt;
    const auto found = names->second.find(path.substr(begin, end - begin));
    if (found == names->second.end()) return std::nullopt;
    node = found->second;
    begin = end + 1;
  }
  return node;
}

Disk::Node Disk::parent_of(const std::string& path) const {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return kRoot;
  const auto parent = find(path.substr(0, slash));
  if (!parent) throw std::logic_error("no directory above " + path);
  return *parent;
}

void Disk::apply(std::span<const Event> events) {
  for (const Event& event : events) {
    if (event.done) apply(event);
  }
}

void Disk::apply(const Event& event) {
  switch (event.call) {
    case Call::kOpen:
    case Call::kCreate:
      return create(event);
    case Call::kWrite:
      if (event.file != 0) files_[open_.at(event.file)].writes.push_back({event.offset, event.data});
      return;
    case Call::kTruncate:
      files_[open_.at(event.file)].writes.push_back({event.offset, "", true});
      return;
    case Call::kSync: {
      File& file = files_[open_.at(event.file)];
      for (const Write& write : file.writes) apply(write, file.synced);
      file.writes.clear();
      return;
    }
    case Call::kSyncDirectory:
      return sync_directory(open_.at(event.file));
    case Call::kLink:
      return change({{parent_of(event.path), name_of(event.path), open_.at(event.file)}});
    case Call::kMakeDirectory:
      return change({{parent_of(event.path), name_of(event.path), add(true)}});
    case Call::kRemove:
      return change({{parent_of(event.path), name_of(event.path), std::nullopt}});
    case Call::kRename:
    case Call::kExchange:
      return move(event);
    default:
      return;
  }
}

void Disk::apply(const Write& write, std::string& content) {
  if (write.cuts) {
    content.resize(write.offset, '\0');
  } else {
    write_over(content, write.offset, write.bytes);
  }
}

void Disk::create(const Event& event) {
  if (event.is_nameless) {
    open_[event.file] = add(false);
    return;
  }
  auto node = find(event.path);
  if (!node && event.call == Call::kCreate) {
    node = add(false);
    change({{parent_of(event.path), name_of(event.path), node}});
  }
  if (!node) throw std::logic_error("opened, but the model has no " + event.path);
  if (event.empties) throw std::logic_error("the model does not cut files: " + event.path);
  open_[event.file] = *node;
}

void Disk::move(const Event& event) {
  const auto from = find(event.path), to = find(event.to);
  const Entry target{parent_of(event.to), name_of(event.to), from};
  const std::optional<Node> left = event.call == Call::kExchange ? to : std::nullopt;
  change({{parent_of(event.path), name_of(event.path), left}, target});
}

void Disk::change(const Change& change) {
  persist(change, now_);
  pending_.push_back(change);
}

// A node has one name: the change may follow others that were lost.
void Disk::persist(const Change& change, Directories& directories) {
  for (const Entry& entry : change) {
    if (!entry.node) continue;
    for (auto& [directory, names] : directories) {
      std::erase_if(names, [&](const auto& name) { return name.second == *entry.node; });
    }
  }
  for (const Entry& entry : change) {
    if (entry.node) {
      directories[entry.directory][entry.name] = *entry.node;
    } else {
      directories[entry.directory].erase(entry.name);
    }
  }
}

// What an earlier change did to the same names is superseded.
void Disk::sync_directory(Node directory) {
  const auto concerns = [&](const Change& change) {
    return std::any_of(change.begin(), change.end(), [&](const Entry& entry) { return entry.directory == directory; });
  };
  std::vector<Change> kept;
  for (const Change& change : pending_) {
    if (!concerns(change)) {
      kept.push_back(change);
      continue;
    }
    persist(change, synced_);
    std::erase_if(kept, [&](const Change& earlier) {
      return std::any_of(earlier.begin(), earlier.end(), [&](const Entry& old) {
        return std::any_of(change.begin(), change.end(), [&](const Entry& entry) {
          return entry.directory == old.directory && entry.name == old.name;
        });
      });
    });
  }
  pending_ = std::move(kept);
}

std::vector<bool> Disk::surviving_changes(Survival survival, std::mt19937_64& random) const {
  switch (survival) {
    case Survival::kNothing:
    case Survival::kBytes:
      return std::vector<bool>(pending_.size(), false);
    case Survival::kSome: {
      std::vector<bool> survives;
      while (survives.size() < pending_.size()) survives.push_back(random() % 2 == 0);
      return survives;
    }
    case Survival::kAllButOne: {
      std::vector<bool> survives(pending_.size(), true);
      if (!survives.empty()) survives[random() % survives.size()] = false;
      return survives;
    }
    default:
      return std::vector<bool>(pending_.size(), true);
  }
}

std::string Disk::surviving_bytes(const File& file, Survival survival, std::mt19937_64& random) const {
  std::string content = file.synced;
  for (const Write& write : file.writes) {
    if (write.cuts && survival != Survival::kNothing && survival != Survival::kNames) apply(write, content);
    switch (survival) {
      case Survival::kNothing:
      case Survival::kNames:
        break;
      case Survival::kZeros:
        write_over(content, write.offset, std::string(write.bytes.size(), '\0'));
        break;
      case Survival::kTornBytes:
      case Survival::kSome:
        for (std::size_t at = 0; at < write.bytes.size(); at += kSectorBytes) {
          if (random() % 2 == 0) continue;
          write_over(content, write.offset + at, std::string_view(write.bytes).substr(at, random() % kSectorBytes + 1));
        }
        break;
      default:
        apply(write, content);
    }
  }
  return content;
}

Tree Disk::crash(Survival survival, std::mt19937_64& random) const {
  Directories directories = synced_;
  const std::vector<bool> survives = surviving_changes(survival, random);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (survives[i]) persist(pending_[i], directories);
  }
  Tree tree;
  const std::function<void(Node, const std::string&)> collect = [&](Node directory, const std::string& prefix) {
    for (const auto& [name, node] : directories[directory]) {
      const File& file = files_[node];
      if (file.is_directory) {
        tree[prefix + name] = std::nullopt;
        collect(node, prefix + name + "/");
      } else {
        tree[prefix + name] = surviving_bytes(file, survival, random);
      }
    }
  };
  collect(kRoot, "");
  return tree;
}

}  // namespace spillway::sweep
