#include "tests/sweep/observer.hpp"

#include <algorithm>

#include "tests/sweep/tree.hpp"

namespace spillway::sweep {

std::vector<std::string> Observer::open_paths() const {
  std::vector<std::string> paths;
  for (const auto& [descriptor, file] : files_) {
    if (file.number != 0) paths.push_back(file.path);
  }
  return paths;
}

bool Observer::find(const char* path, std::string& relative) const {
  const std::string_view whole = path;
  if (!whole.starts_with(root_)) return false;
  if (whole.size() > root_.size() && whole[root_.size()] != '/') return false;
  relative = whole.substr(std::min(whole.size(), root_.size() + 1));
  return true;
}

Observer::OpenFile* Observer::find(int descriptor) {
  const auto found = files_.find(descriptor);
  return found == files_.end() ? nullptr : &found->second;
}

void Observer::opened(int descriptor, std::string path, bool is_written, bool is_directory) {
  last().done = true;
  last().file = next_file_;
  files_[descriptor] = {std::move(path), next_file_++, 0, is_written, is_directory};
}

std::string Observer::without_random_parts(std::string path) const {
  for (const std::string& part : random_parts_) {
    for (auto at = path.find(part); at != std::string::npos; at = path.find(part)) path.replace(at, part.size(), "*");
  }
  if (const std::string stem = without_unique_part(path); stem != path) return stem + ".*";
  return path;
}

Observer::Verdict Observer::begin(Event event) {
  event.name = std::string(call_name(event.call)) + " " + without_random_parts(event.path);
  event.number = counts_[event.name]++;
  events_.push_back(std::move(event));
  const Event& added = last();
  for (ArmedFault& armed : faults_) {
    const Fault& fault = armed.fault;
    const bool is_hit = fault.number == added.number && fault.name == added.name && armed.fired == 0;
    if (!is_hit && (!fault.lasts || armed.fired == 0 || !can_fail(added.call, fault.kind))) continue;
    ++armed.fired;
    failed_paths_.push_back(added.path);
    return {fault.kind, fault.where};
  }
  return {};
}

}  // namespace spillway::sweep
