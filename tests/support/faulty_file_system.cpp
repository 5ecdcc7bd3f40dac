#include "tests/support/faulty_file_system.hpp"

#include <algorithm>
#include <cerrno>

#include "io/file/system_error.hpp"
#include "tests/support/faulty_state.hpp"

namespace spillway::testing {

namespace {

using State = FaultyFileSystem::State;

// The part that open files share. They work until a restart.
class OpenFile {
 public:
  OpenFile(std::shared_ptr<State> state, std::shared_ptr<Node> node, std::string path)
      : state_(std::move(state)), node_(std::move(node)), path_(std::move(path)), generation_(state_->generation) {}

 protected:
  FaultKind begin(Operation operation, std::string_view action) const {
    if (generation_ != state_->generation) throw std::logic_error("file used after a restart: " + path_);
    return state_->begin(operation, action, path_);
  }
  std::shared_ptr<State> state_;
  std::shared_ptr<Node> node_;
  std::string path_;
  std::uint64_t generation_;
};

class Readable final : public ReadableFile, OpenFile {
 public:
  Readable(std::shared_ptr<State> state, std::shared_ptr<Node> node, const std::string& path)
      : OpenFile(std::move(state), std::move(node), path), size_(node_->content.size()) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    const std::lock_guard lock(state_->mutex);
    const FaultKind fault = begin(Operation::kReads, "read");
    const std::string& content = node_->content;
    if (offset >= content.size()) return 0;
    std::size_t count = std::min(out.size(), content.size() - static_cast<std::size_t>(offset));
    if (fault == FaultKind::kShortRead) count /= 2;
    std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(offset), count, out.begin());
    return count;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  std::uint64_t size_;
};

class Stream final : public ByteStream, OpenFile {
 public:
  using OpenFile::OpenFile;
  std::size_t read(std::span<std::uint8_t> out) override {
    const std::lock_guard lock(state_->mutex);
    const FaultKind fault = begin(Operation::kReads, "read");
    std::size_t count = std::min(out.size(), node_->content.size() - std::min(offset_, node_->content.size()));
    if (fault == FaultKind::kShortRead)
      count -= count / 2;  // a stream may return less at any time, but 0 means its end
    std::copy_n(node_->content.begin() + static_cast<std::ptrdiff_t>(offset_), count, out.begin());
    offset_ += count;
    return count;
  }
  const std::string& path() const override { return path_; }

 private:
  std::size_t offset_ = 0;
};

class Writable final : public WritableFile, OpenFile {
 public:
  using OpenFile::OpenFile;
  void append(std::span<const std::uint8_t> bytes) override {
    const std::lock_guard lock(state_->mutex);
    const FaultKind fault = begin(Operation::kAppends, "write");
    const std::size_t count = fault == FaultKind::kNone ? bytes.size() : bytes.size() / 2;
    node_->content.append(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    node_->modified_ns = ++state_->clock_ns;
    size_ += count;
    if (fault == FaultKind::kCrash) throw CrashError();
    if (fault == FaultKind::kShortWrite) throw_system_error(ENOSPC, "write", path_);
  }
  void sync() override {
    const std::lock_guard lock(state_->mutex);
    try {
      begin(Operation::kSyncs, "bring to disk");
    } catch (...) {
      node_->sync_failed = true;
      throw;
    }
    if (!node_->sync_failed) node_->synced_content = node_->content;
  }
  void close() override {
    const std::lock_guard lock(state_->mutex);
    begin(Operation::kCloses, "close");
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  std::uint64_t size_ = 0;
};

class Lock final : public FileLock, OpenFile {
 public:
  using OpenFile::OpenFile;
  ~Lock() override {
    const std::lock_guard lock(state_->mutex);
    if (generation_ == state_->generation) node_->locked = false;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool is_in_place() const noexcept override {
    const std::lock_guard lock(state_->mutex);
    return state_->find(path_) == node_;
  }
};

void collect_paths(const Node& node, const std::string& path, std::vector<std::string>& paths) {
  for (const auto& [name, child] : node.children) {
    std::string child_path = path;
    child_path.append("/").append(name);
    paths.push_back(child_path);
    collect_paths(*child, child_path, paths);
  }
}

}  // namespace

FaultyFileSystem::FaultyFileSystem() : state_(std::make_shared<State>()) {
  state_->root->children["job"] = make_node(true);
  state_->root->synced_children = state_->root->children;
}

FaultyFileSystem::~FaultyFileSystem() = default;

void FaultyFileSystem::inject(const Fault& fault) {
  const std::lock_guard lock(state_->mutex);
  state_->fault = fault;
  state_->eligible = state_->fired = 0;
}

std::uint64_t FaultyFileSystem::operations() const {
  const std::lock_guard lock(state_->mutex);
  return state_->operations;
}

std::uint64_t FaultyFileSystem::faults_fired() const {
  const std::lock_guard lock(state_->mutex);
  return state_->fired;
}

bool FaultyFileSystem::crashed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->crashed;
}

void FaultyFileSystem::restart(Crash crash) {
  const std::lock_guard lock(state_->mutex);
  ++state_->generation;
  state_->crashed = false;
  state_->fault = {};
  if (crash == Crash::kPower) state_->root->lose_power();
  state_->root->unlock();
}

void FaultyFileSystem::set_free_bytes(std::uint64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->free_bytes = bytes;
}

void FaultyFileSystem::set_in_memory(bool is_in_memory) {
  const std::lock_guard lock(state_->mutex);
  state_->is_in_memory = is_in_memory;
}

void FaultyFileSystem::set_can_exchange(bool can) {
  const std::lock_guard lock(state_->mutex);
  state_->can_exchange = can;
}

void FaultyFileSystem::put(const std::string& path, std::string_view bytes) {
  const std::lock_guard lock(state_->mutex);
  const auto parent = state_->require_parent(path, "put");
  const auto node = make_node(false);
  node->content = node->synced_content = bytes;
  parent->children[State::name_of(path)] = parent->synced_children[State::name_of(path)] = node;
}

std::string FaultyFileSystem::get(const std::string& path) const {
  const std::lock_guard lock(state_->mutex);
  const auto node = state_->find(path);
  if (!node || node->is_directory) throw std::out_of_range("no file " + path);
  return node->content;
}

void FaultyFileSystem::remove_tree(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->find(path)) return;
  state_->require_parent(path, "remove all of")->children.erase(State::name_of(path));
}

std::vector<std::string> FaultyFileSystem::all_paths() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> paths;
  collect_paths(*state_->root, "", paths);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::unique_ptr<ReadableFile> FaultyFileSystem::open(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kOpens, "open", path);
  return std::make_unique<Readable>(state_, state_->require_file(path, "open"), path);
}

std::unique_ptr<ByteStream> FaultyFileSystem::open_stream(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kOpens, "open", path);
  return std::make_unique<Stream>(state_, state_->require_file(path, "open"), path);
}

std::unique_ptr<WritableFile> FaultyFileSystem::create(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kCreates, "create", path);
  return std::make_unique<Writable>(state_, state_->add(path, false, "create"), path);
}

std::optional<FileStatus> FaultyFileSystem::status(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kLooks, "examine", path);
  const auto node = state_->find(path);
  if (!node) return std::nullopt;
  return FileStatus{node->is_directory ? FileType::kDirectory : FileType::kRegular, node->content.size(),
                    node->modified_ns};
}

std::vector<std::string> FaultyFileSystem::list(const std::string& directory) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kLists, "list", directory);
  const auto node = state_->require(directory, "list");
  if (!node->is_directory) throw_system_error(ENOTDIR, "list", directory);
  std::vector<std::string> names;
  for (const auto& [name, child] : node->children) names.push_back(name);
  return names;
}

bool FaultyFileSystem::is_link(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kLooks, "examine", path);
  return false;
}

bool FaultyFileSystem::is_mount_point(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kLooks, "examine", path);
  return false;
}

std::string FaultyFileSystem::make_unique_directory(const std::string& prefix) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kChangesNames, "make a directory", prefix);
  const std::string number = std::to_string(++state_->unique_names);
  std::string path = prefix + std::string(6 - std::min<std::size_t>(number.size(), 6), '0') + number;
  state_->add(path, true, "make a directory");
  return path;
}

void FaultyFileSystem::make_directory(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kChangesNames, "make the directory", path);
  state_->add(path, true, "make the directory");
}

void FaultyFileSystem::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kChangesNames, "rename", from);
  const auto node = state_->require(from, "rename");
  const auto target = state_->find(to);
  if (target == node) return;
  if (target && target->is_directory != node->is_directory) {
    throw_system_error(target->is_directory ? EISDIR : ENOTDIR, "rename to", to);
  }
  if (target && !target->children.empty()) throw_system_error(ENOTEMPTY, "rename to", to);
  const auto to_parent = state_->require_parent(to, "rename to");
  state_->require_parent(from, "rename")->children.erase(State::name_of(from));
  to_parent->children[State::name_of(to)] = node;
}

bool FaultyFileSystem::rename_to_new(const std::string& from, const std::string& to) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kChangesNames, "rename", from);
  const auto node = state_->require(from, "rename");
  const auto to_parent = state_->require_parent(to, "rename to");
  if (!to_parent->children.try_emplace(State::name_of(to), node).second) return false;
  state_->require_parent(from, "rename")->children.erase(State::name_of(from));
  return true;
}

bool FaultyFileSystem::exchange(const std::string& a, const std::string& b) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kChangesNames, "exchange", a);
  if (!state_->can_exchange) return false;
  const auto a_node = state_->require(a, "exchange"), b_node = state_->require(b, "exchange");
  const auto a_parent = state_->require_parent(a, "exchange"), b_parent = state_->require_parent(b, "exchange");
  a_parent->children[State::name_of(a)] = b_node;
  b_parent->children[State::name_of(b)] = a_node;
  return true;
}

void FaultyFileSystem::remove(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kRemoves, "remove", path);
  const auto node = state_->require(path, "remove");
  if (!node->children.empty()) throw_system_error(ENOTEMPTY, "remove", path);
  state_->require_parent(path, "remove")->children.erase(State::name_of(path));
}

void FaultyFileSystem::sync_directory(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kSyncsDirectory, "bring to disk the directory", path);
  const auto node = state_->require(path, "bring to disk the directory");
  if (!node->is_directory) throw_system_error(ENOTDIR, "bring to disk the directory", path);
  node->synced_children = node->children;
  state_->root->drop_moved(*node);
}

std::unique_ptr<FileLock> FaultyFileSystem::create_lock(const std::string& path, std::string_view content) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kCreates, "create the lock", path);
  if (state_->find(path)) return nullptr;
  const auto node = state_->add(path, false, "create the lock");
  node->content = node->synced_content = content;
  node->locked = true;
  return std::make_unique<Lock>(state_, node, path);
}

std::unique_ptr<FileLock> FaultyFileSystem::try_lock(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kOpens, "open the lock", path);
  const auto node = state_->require_file(path, "open the lock");
  if (node->locked) return nullptr;
  node->locked = true;
  return std::make_unique<Lock>(state_, node, path);
}

bool FaultyFileSystem::is_in_memory(const std::string&) {
  const std::lock_guard lock(state_->mutex);
  return state_->is_in_memory;
}

std::uint64_t FaultyFileSystem::free_bytes(const std::string& directory) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kLooks, "find the free space of", directory);
  state_->require(directory, "find the free space of");
  return state_->free_bytes;
}

std::string FaultyFileSystem::resolve(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(Operation::kLooks, "resolve", path);
  std::string result;
  for (const std::string& name : split_path(path)) result += "/" + name;
  return result.empty() ? "/" : result;
}

}  // namespace spillway::testing
