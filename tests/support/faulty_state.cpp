#include "tests/support/faulty_state.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include "io/file/system_error.hpp"

namespace spillway::testing {

namespace {

bool can_fail(FaultKind kind, Operation operation) {
  using enum Operation;
  switch (kind) {
    case FaultKind::kNone:
      return false;
    case FaultKind::kNoSpace:
      return operation == kCreates || operation == kChangesNames || operation == kAppends || operation == kSyncs;
    case FaultKind::kTooManyFiles:
      return operation == kOpens || operation == kCreates || operation == kLists || operation == kSyncsDirectory;
    case FaultKind::kShortWrite:
      return operation == kAppends;
    case FaultKind::kShortRead:
      return operation == kReads;
    case FaultKind::kIoError:
    case FaultKind::kOutOfMemory:
    case FaultKind::kCrash:
      return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<Node> make_node(bool is_directory) {
  auto node = std::make_shared<Node>();
  node->is_directory = is_directory;
  return node;
}

std::vector<std::string> split_path(const std::string& path) {
  const std::string absolute = path.starts_with('/') ? path : "/job/" + path;
  std::vector<std::string> names;
  for (std::size_t at = 0; at < absolute.size();) {
    const std::size_t end = std::min(absolute.find('/', at), absolute.size());
    const std::string name = absolute.substr(at, end - at);
    if (name == ".." && !names.empty()) names.pop_back();
    if (!name.empty() && name != "." && name != "..") names.push_back(name);
    at = end + 1;
  }
  return names;
}

FaultKind FaultyFileSystem::State::begin(Operation operation, std::string_view action, const std::string& path) {
  if (crashed) throw CrashError();
  ++operations;
  if (!can_fail(fault.kind, operation)) return FaultKind::kNone;
  const std::uint64_t number = eligible++;
  if (number != fault.at && !(fault.sticky && number > fault.at)) return FaultKind::kNone;
  ++fired;
  if (fault.kind == FaultKind::kIoError) throw_system_error(EIO, action, path);
  if (fault.kind == FaultKind::kOutOfMemory) throw std::bad_alloc();
  if (fault.kind == FaultKind::kNoSpace) throw_system_error(ENOSPC, action, path);
  if (fault.kind == FaultKind::kTooManyFiles) throw_system_error(EMFILE, action, path);
  if (fault.kind == FaultKind::kCrash) {
    crashed = true;
    if (operation != Operation::kAppends) throw CrashError();
  }
  return fault.kind;
}

std::shared_ptr<Node> FaultyFileSystem::State::find(const std::string& path) const {
  std::shared_ptr<Node> node = root;
  for (const std::string& name : split_path(path)) {
    const auto found = node->children.find(name);
    if (found == node->children.end()) return nullptr;
    node = found->second;
  }
  return node;
}

std::shared_ptr<Node> FaultyFileSystem::State::require(const std::string& path, std::string_view action) const {
  auto node = find(path);
  if (!node) throw_system_error(ENOENT, action, path);
  return node;
}

std::shared_ptr<Node> FaultyFileSystem::State::require_file(const std::string& path, std::string_view action) const {
  auto node = require(path, action);
  if (node->is_directory) throw_system_error(EISDIR, action, path);
  return node;
}

std::shared_ptr<Node> FaultyFileSystem::State::require_parent(const std::string& path, std::string_view action) const {
  auto node = require(path + "/..", action);
  if (!node->is_directory) throw_system_error(ENOTDIR, action, path);
  return node;
}

std::string FaultyFileSystem::State::name_of(const std::string& path) {
  const auto names = split_path(path);
  if (names.empty()) throw std::logic_error("the root has no name");
  return names.back();
}

std::shared_ptr<Node> FaultyFileSystem::State::add(const std::string& path, bool is_directory,
                                                   std::string_view action) {
  const auto parent = require_parent(path, action);
  const auto [entry, is_new] = parent->children.try_emplace(name_of(path), nullptr);
  if (!is_new) throw_system_error(EEXIST, action, path);
  entry->second = make_node(is_directory);
  entry->second->modified_ns = ++clock_ns;
  return entry->second;
}

}  // namespace spillway::testing
