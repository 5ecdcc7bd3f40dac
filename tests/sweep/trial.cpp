#include "tests/sweep/trial.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace spillway::sweep {

namespace {

constexpr int kDone = 0, kBadIndex = 1, kIo = 2, kOverBudget = 4, kCorrupt = 5;
// After one in so many errors that left nothing, the next job runs too.
constexpr std::uint64_t kNextJobEvery = 8;
// Which blocks a job spills depends on its threads, so a run may make none of the calls that are to fail. Another call
// of their kind fails in the next one.
constexpr int kMostRuns = 20;

std::string kind_of(std::string name) {
  constexpr std::string_view kRun = "spillway-run-";
  const std::size_t at = name.find(kRun);
  if (at != std::string::npos) name.resize(at + kRun.size());
  return name;
}

// Leaves a fault alone if none of `events` is of its kind.
void take_call_of_run(Fault& fault, const std::vector<Event>& events) {
  std::vector<const Event*> same;
  for (const Event& event : events) {
    if (kind_of(event.name) == kind_of(fault.name)) same.push_back(&event);
  }
  if (same.empty()) return;
  const Event& taken = *same[fault.number % same.size()];
  fault.name = taken.name;
  fault.number = taken.number;
}

bool has_fired(const ProgramEnd& end) {
  return end.fired.empty() ||
         std::any_of(end.fired.begin(), end.fired.end(), [](std::uint64_t times) { return times != 0; });
}

// A run may reach one of two faults only, and is judged by what happened.
void forget_what_did_not_fire(Faults& faults, const ProgramEnd& end) {
  std::size_t i = 0;
  std::erase_if(faults.calls, [&](const Fault&) { return end.fired[i++] == 0; });
}

std::string described(const ProgramEnd& end) {
  return "; it ended with " + std::to_string(end.code) + " and said: " + (end.err.empty() ? "(nothing)\n" : end.err);
}

// The calls whose failure means that what was written may not be there.
bool loses_data(const Event& event) {
  switch (event.call) {
    case Call::kCreate:
    case Call::kWrite:
    case Call::kSync:
    case Call::kSyncDirectory:
    case Call::kTruncate:
    case Call::kLink:
    case Call::kRename:
    case Call::kExchange:
    case Call::kMakeDirectory:
      return true;
    case Call::kCloseWritten:
      return event.path != "temp";  // a scratch file without a name is not read any more
    default:
      return false;
  }
}

bool may_leave_scratch(const Point& point) {
  if (point.kind == PointKind::kRefusal || point.kind == PointKind::kTwoFaults) return true;
  for (const Fault& fault : point.faults.calls) {
    if (fault.lasts && fault.kind != FaultKind::kShort && fault.kind != FaultKind::kNoSpace) return true;
    if (is_lock(fault.name.substr(fault.name.find(' ') + 1))) return true;
    for (const Call call : {Call::kRemove, Call::kList, Call::kOpen, Call::kStatus, Call::kClose}) {
      if (fault.name.starts_with(std::string(call_name(call)) + " ")) return true;
    }
  }
  return false;
}

// A sort has scratch files without names, and gives its output a name of its own only before the rename.
bool may_leave_output(const Point& point) {
  if (point.kind == PointKind::kTwoFaults) return true;
  return std::any_of(point.faults.calls.begin(), point.faults.calls.end(), [](const Fault& fault) {
    return fault.lasts || fault.name.starts_with(std::string(call_name(Call::kRemove)) + " ");
  });
}

bool is_errno(const Point& point) {
  return std::all_of(point.faults.calls.begin(), point.faults.calls.end(),
                     [](const Fault& fault) { return error_of(fault.kind) != 0; });
}

bool flips(const Point& point) {
  return std::any_of(point.faults.calls.begin(), point.faults.calls.end(),
                     [](const Fault& fault) { return fault.kind == FaultKind::kFlip; });
}

std::size_t hash_of(const Tree& tree) {
  std::size_t hash = 0;
  const auto add = [&](const std::string& bytes) { hash = hash * 31 + std::hash<std::string>()(bytes); };
  for (const auto& [path, bytes] : tree) {
    add(path);
    add(bytes ? "=" + *bytes : "/");
  }
  return hash;
}

}  // namespace

Trial::Trial(Scenario scenario, const std::string& root) : scenario_(std::move(scenario)), program_(root) {
  program_.append_output(scenario_.appends_output);
  prepare();
  program_.run(scenario_.words);  // what happens once in a process happens here
  ProgramEnd end = usual_end();
  if (end.code != kDone) throw std::runtime_error(scenario_.name + " fails by itself" + described(end));
  if (!end.left_open.empty()) throw std::runtime_error(scenario_.name + " leaves open " + end.left_open[0]);
  end_ = read_tree(root);
  out_ = end.out;
  if (makes_index()) {
    old_index_ = part_of(start_, scenario_.output);
    new_index_ = part_of(end_, scenario_.output);
    Tree expected = start_;
    for (const auto& [path, bytes] : old_index_) expected.erase(path);
    expected.insert(new_index_.begin(), new_index_.end());
    if (const std::string what = difference(expected, end_); !what.empty()) {
      throw std::runtime_error(scenario_.name + ": " + what);
    }
  }
  events_ = end.events;
  requests_ = end.requests;
  points_ = std::make_unique<PointSpace>(scenario_, std::move(end.events), end.requests);
}

// Runs the program some times. On a busy machine one of them may spill what the others keep in memory.
ProgramEnd Trial::usual_end() {
  constexpr int kRuns = 3;
  ProgramEnd usual;
  for (int run = 0; run < kRuns; ++run) {
    write_tree(program_.root(), start_);
    ProgramEnd end = program_.run(scenario_.words);
    if (end.code != kDone) return end;
    if (run == 0 || end.events.size() < usual.events.size()) usual = std::move(end);
  }
  return usual;
}

void Trial::prepare() {
  write_tree(program_.root(), scenario_.inputs());
  for (const auto& words : scenario_.preparations) {
    const ProgramEnd end = program_.run(words);
    if (end.code != kDone) throw std::runtime_error(scenario_.name + ": a preparation fails" + described(end));
  }
  start_ = read_tree(program_.root());
}

std::string Trial::run(const Point& point) {
  switch (point.kind) {
    case PointKind::kCrash:
      return crash(point, events_, point.crash_at);
    case PointKind::kFaultThenCrash:
      return fault_then_crash(point);
    default:
      return fault(point);
  }
}

std::string Trial::fault(Point point) {
  ProgramEnd end;
  for (int runs = 0; runs == 0 || (runs < kMostRuns && !has_fired(end)); ++runs) {
    if (runs != 0 && !point.faults.calls.empty()) take_call_of_run(point.faults.calls[0], end.events);
    write_tree(program_.root(), start_);
    end = program_.run(scenario_.words, point.faults);
  }
  return judge(point, end, read_tree(program_.root()));
}

std::string Trial::judge(Point point, const ProgramEnd& end, const Tree& found) {
  if (!has_fired(end)) return "the fault did not fire" + described(end);
  forget_what_did_not_fire(point.faults, end);
  if (!end.left_open.empty()) return "a descriptor of " + end.left_open[0] + " is left open" + described(end);
  std::string what = end.code == kDone ? judge_success(point, end, found) : judge_error(point, end, found);
  if (!what.empty()) return what + described(end);
  if (!makes_index()) return difference(start_, found);
  what = judge_rest(point, found);
  if (!what.empty()) return what + described(end);
  if (flips(point) && !judge_output(found).empty()) return "";  // --force does not replace a damaged index
  const bool is_clean = part_of(found, scenario_.output + ".work").empty() && part_of(found, "temp").size() == 1;
  if (is_clean && point.variation % kNextJobEvery != 0) return "";
  what = next_job(found, point);
  return what.empty() ? "" : what + "; before" + described(end);
}

std::string Trial::judge_success(const Point& point, const ProgramEnd& end, const Tree& found) {
  const Fault* const fault = point.faults.calls.empty() ? nullptr : &point.faults.calls[0];
  if (fault != nullptr && error_of(fault->kind) != 0 && !must_survive(fault->kind)) {
    for (const Event& event : events_) {
      if (kind_of(event.name) == kind_of(fault->name) && loses_data(event) && !is_lock(event.path)) {
        return "success, though data may be lost";
      }
    }
  }
  if (end.out != out_) return "success, but it printed other things: " + end.out;
  if (!makes_index()) return "";
  const std::string what = difference(new_index_, part_of(found, scenario_.output));
  if (what.empty()) return "";
  return flips(point) && !scenario_.is_sort() ? verify_finds_damage() : "success, but " + what;
}

std::string Trial::judge_error(const Point& point, const ProgramEnd& end, const Tree& found) {
  const bool survivable = std::all_of(point.faults.calls.begin(), point.faults.calls.end(),
                                      [](const Fault& fault) { return must_survive(fault.kind); });
  if (point.faults.refusal.resource == Resource::kDevice) return "the CPU should have sorted the block";
  if (survivable && !point.faults.calls.empty()) return "it should have gone on";
  std::string what = judge_words(point, end);
  if (!what.empty() || !makes_index()) return what;
  what = judge_output(found);
  return what.empty() || !flips(point) || scenario_.is_sort() ? what : verify_finds_damage();
}

std::string Trial::judge_words(const Point& point, const ProgramEnd& end) const {
  if (point.kind == PointKind::kRefusal) {
    const int expected = scenario_.is_sort() ? kIo : kOverBudget;
    if (end.code != expected) return "code " + std::to_string(expected) + " expected";
    return end.err.find("memory") == std::string::npos ? "the words do not speak of memory" : "";
  }
  const bool only_errno = is_errno(point);
  const bool may_be_corrupt = !only_errno && !scenario_.is_sort();
  const bool code_fits = end.code == kIo || (may_be_corrupt && (end.code == kCorrupt || end.code == kBadIndex));
  if (!code_fits && point.kind != PointKind::kTwoFaults) return "another code expected";
  for (const std::string& failed : end.failed_paths) {
    std::string path = failed == kStandardOutput ? failed : program_.root() + "/" + failed;
    if (end.err.find(path) != std::string::npos) return "";
    // Trees are removed, and opened, as a whole.
    path.resize(std::min(path.rfind('/'), path.size()));
    if (path.size() > program_.root().size() && end.err.find(path) != std::string::npos) return "";
  }
  return "the words do not name the path";
}

std::string Trial::judge_output(const Tree& found) const {
  const Tree index = part_of(found, scenario_.output);
  if (difference(old_index_, index).empty() || difference(new_index_, index).empty()) return "";
  return "the output is neither the old index nor the new one: " +
         difference(index.empty() ? old_index_ : new_index_, index);
}

// What a sort leaves if it is killed, or the power fails: only what replaces an input is synced.
std::string Trial::judge_sort_output(const Tree& left, bool is_kill) const {
  if (!is_kill && !scenario_.replaces_input()) return "";
  for (const auto& [path, bytes] : left) {
    if (is_kill && is_left_output(path) && bytes != new_index_.at(scenario_.output)) return path + " is not whole";
  }
  return judge_output(left);
}

bool Trial::is_left_output(const std::string& path) const {
  return path != scenario_.output && without_unique_part(path) == scenario_.output;
}

// Inputs are untouched, and nothing is left but, where that is allowed, scratch.
std::string Trial::judge_rest(const Point& point, const Tree& found) const {
  Tree rest = found, expected = start_;
  const auto forget = [&](const std::string& path) {
    return path == scenario_.output || path.starts_with(scenario_.output + "/") ||
           (scenario_.is_sort() ? may_leave_output(point) && is_left_output(path)
                                : (may_leave_scratch(point) || scenario_.is_resumable()) && is_scratch(path));
  };
  std::erase_if(rest, [&](const auto& entry) { return forget(entry.first); });
  std::erase_if(expected, [&](const auto& entry) { return forget(entry.first); });
  return difference(expected, rest);
}

std::vector<std::string> Trial::next_words(const Tree& tree) const {
  const bool is_done = difference(new_index_, part_of(tree, scenario_.output)).empty();
  if (is_done && !scenario_.afterwards.empty()) return scenario_.afterwards;
  std::vector<std::string> words = scenario_.words;
  const bool has_force = std::find(words.begin(), words.end(), "--force") != words.end();
  if (!scenario_.is_sort() && !part_of(tree, scenario_.output).empty() && !has_force) words.push_back("--force");
  return words;
}

// Requires: `found` is below the root.
std::string Trial::next_job(const Tree& found, const Point& point) {
  ProgramEnd end = program_.run(next_words(found));
  if (scenario_.reads_output() && flips(point) && !judge_output(found).empty()) {
    return end.code == kCorrupt ? "" : "the next job builds on a damaged index" + described(end);
  }
  if (end.code == kCorrupt && scenario_.is_resumable() && flips(point)) {  // the damage is on the disk
    if (end.err.find("--restart") == std::string::npos) return "the next job names no remedy" + described(end);
    std::vector<std::string> words = next_words(found);
    words.push_back("--restart");
    end = program_.run(words);
  }
  if (end.code != kDone) return "the next job fails" + described(end);
  Tree left = read_tree(program_.root());
  std::erase_if(left, [&](const auto& entry) { return scenario_.is_sort() && is_left_output(entry.first); });
  const std::string what = difference(end_, left);
  return what.empty() ? "" : "after the next job, " + what + described(end);
}

std::string Trial::verify_finds_damage() {
  const ProgramEnd end = program_.run({"verify", "%/" + scenario_.output});
  return end.code == kBadIndex || end.code == kCorrupt ? "" : "verify does not find the damage" + described(end);
}

std::string Trial::crash(const Point& point, const std::vector<Event>& events, std::size_t crash_at) {
  Disk disk(start_);
  disk.apply({events.data(), crash_at});
  std::mt19937_64 random(point.variation);
  const Tree left = disk.crash(point.survival, random);
  const bool is_end = crash_at == events_.size() && &events == &events_;
  const bool is_kill = point.survival == Survival::kAll;
  const auto [known, is_new] = crashes_.try_emplace(hash_of(left) + (is_end ? 1 : 0) + (is_kill ? 2 : 0));
  if (!is_new) return known->second;
  std::string& what = known->second;
  what = scenario_.is_sort() ? judge_sort_output(left, is_kill) : judge_output(left);
  if (is_end && (is_kill || !scenario_.is_sort())) what = difference(new_index_, part_of(left, scenario_.output));
  write_tree(program_.root(), left);
  if (!what.empty() && flips(point) && !scenario_.is_sort()) what = verify_finds_damage();
  if (!what.empty()) return what = "after the crash: " + what;
  return what = next_job(left, point);
}

std::string Trial::fault_then_crash(const Point& point) {
  write_tree(program_.root(), start_);
  const ProgramEnd end = program_.run(scenario_.words, point.faults);
  if (!makes_index()) return judge(point, end, read_tree(program_.root()));
  std::mt19937_64 random(point.variation);
  return crash(point, end.events, random() % (end.events.size() + 1));
}

}  // namespace spillway::sweep
