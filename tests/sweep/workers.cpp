#include "tests/sweep/workers.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/sweep/trial.hpp"

namespace spillway::sweep {

namespace {

constexpr std::uint64_t kChunkPoints = 500;
constexpr int kMostSeconds = 60;  // that a point may take

struct Finding {
  std::uint64_t seed = 0;
  std::string scenario, point, what;
};

unsigned long long printed(std::uint64_t number) { return number; }

// The points [begin, end) of a scenario's share, or the one with a seed.
struct Task {
  std::size_t scenario = 0;
  std::uint64_t begin = 0, end = 0;
  std::optional<std::uint64_t> seed = {};
};

// Seeds hold the scenario, the number of the point, and the variation.
struct Seed {
  std::size_t scenario;
  std::uint64_t rest;
  static Seed of(std::uint64_t seed) {
    const std::size_t count = all_scenarios().size();
    return {seed % count, seed / count};
  }
  std::uint64_t value() const { return scenario + rest * all_scenarios().size(); }
};

// A walk over all points that comes to each once before it comes to one twice.
std::uint64_t nth_point(std::uint64_t n, std::uint64_t size, std::uint64_t seed) {
  auto step = static_cast<std::uint64_t>(static_cast<double>(size) * 0.6180339887) | 1U;
  while (std::gcd(step, size) != 1) step += 2;
  std::mt19937_64 random(seed);
  return (random() + n % size * step) % size;
}

class Worker {
 public:
  Worker(const Task& task, std::uint64_t sweep_seed, int out) : task_(task), sweep_seed_(sweep_seed), out_(out) {}

  void run(const std::string& directory) {
    try {
      Trial trial(all_scenarios().at(task_.scenario), directory + "/root");
      for (std::uint64_t n = task_.begin; n < task_.end; ++n) try_point(trial, n);
    } catch (const std::exception& error) {
      tell("F0\tthe trial itself\t" + std::string(error.what()));
    }
  }

 private:
  std::uint64_t rest_of(std::uint64_t n, std::uint64_t size) const {
    if (task_.seed) return Seed::of(*task_.seed).rest;
    std::mt19937_64 random(sweep_seed_ * 1000003 + n);
    const std::uint64_t variation = random() % 10000;
    return nth_point(n, size, sweep_seed_ + task_.scenario) + size * variation;
  }
  void try_point(Trial& trial, std::uint64_t n) {
    const std::uint64_t size = trial.points().size();
    const std::uint64_t rest = rest_of(n, size);
    const Point point = trial.points().at(rest % size, rest / size);
    tell("S" + std::to_string(Seed{task_.scenario, rest}.value()) + "\t" + point.words);
    const std::string what = trial.run(point);
    if (!what.empty())
      tell("F" + std::to_string(Seed{task_.scenario, rest}.value()) + "\t" + point.words + "\t" + what);
    tell("D");
  }
  // A line; the reader takes it to its zero byte.
  void tell(std::string line) const {
    line.push_back('\0');
    if (write(out_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
  }
  Task task_;
  std::uint64_t sweep_seed_;
  int out_;
};

// In memory, if there is such a file system.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    const char* const wanted = std::getenv("TMPDIR");
    std::string name = std::string(wanted != nullptr               ? wanted
                                   : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                                                   : "/tmp") +
                       "/spillway-sweep-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = std::filesystem::canonical(name).string();
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void print(const Finding& finding) {
  std::printf("%s: %s\n  %s\n  again: tools/sweep --replay %llu\n", finding.scenario.c_str(), finding.point.c_str(),
              finding.what.c_str(), printed(finding.seed));
  std::fflush(stdout);
}

// The parent's side of a worker.
class Running {
 public:
  Running(const Task& task, std::uint64_t sweep_seed) : task_(task) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      Worker(task, sweep_seed, ends[1]).run(scratch_.path());
      _exit(0);
    }
    close(ends[1]);
    in_ = ends[0];
  }
  ~Running() {
    close(in_);
    if (process_ > 0) end_process();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  int descriptor() const { return in_; }
  // Takes what has come. Returns false at the end of the worker.
  bool take(SweepResult& result) {
    char bytes[4096];
    const ssize_t got = read(in_, bytes, sizeof bytes);
    if (got <= 0) return false;
    text_.append(bytes, static_cast<std::size_t>(got));
    for (auto end = text_.find('\0'); end != std::string::npos; end = text_.find('\0')) {
      take_line(text_.substr(0, end), result);
      text_.erase(0, end + 1);
    }
    return true;
  }
  // After the end: what is left to do. A point that was not done is a finding.
  std::optional<Task> end(SweepResult& result, bool hangs) {
    const int status = hangs ? end_process() : wait_for_process();
    if (started_.empty() && WIFEXITED(status)) return std::nullopt;
    const std::string how = hangs                 ? "it hangs"
                            : WIFSIGNALED(status) ? "it dies of signal " + std::to_string(WTERMSIG(status))
                                                  : "it ends";
    take_line("F" + started_ + "\t" + how, result);
    if (started_.empty() || ++done_ + task_.begin >= task_.end) return std::nullopt;
    return Task{task_.scenario, task_.begin + done_, task_.end, std::nullopt};
  }

 private:
  int end_process() {
    kill(process_, SIGKILL);
    return wait_for_process();
  }
  int wait_for_process() {
    int status = 0;
    waitpid(std::exchange(process_, -1), &status, 0);
    return status;
  }
  void take_line(const std::string& line, SweepResult& result) {
    if (line[0] == 'S') {
      started_ = line.substr(1);
    } else if (line[0] == 'D') {
      started_.clear();
      ++done_;
      ++result.tried;
    } else {
      std::istringstream words(line.substr(1));
      Finding finding;
      finding.scenario = all_scenarios().at(task_.scenario).name;
      std::string seed;
      std::getline(words, seed, '\t');
      finding.seed = std::strtoull(seed.c_str(), nullptr, 10);
      std::getline(words, finding.point, '\t');
      std::getline(words, finding.what, '\0');
      print(finding);
      ++result.findings;
    }
  }
  Task task_;
  ScratchDirectory scratch_;
  pid_t process_ = -1;
  int in_ = -1;
  std::string text_, started_;
  std::uint64_t done_ = 0;
};

SweepResult run_tasks(std::vector<Task> tasks, const Sweep& options) {
  SweepResult result;
  std::reverse(tasks.begin(), tasks.end());
  std::vector<std::unique_ptr<Running>> running;
  while (!tasks.empty() || !running.empty()) {
    while (running.size() < options.jobs && !tasks.empty()) {
      running.push_back(std::make_unique<Running>(tasks.back(), options.seed));
      tasks.pop_back();
    }
    std::vector<pollfd> waiting;
    for (const auto& worker : running) waiting.push_back({worker->descriptor(), POLLIN, 0});
    const int ready = poll(waiting.data(), waiting.size(), kMostSeconds * 1000);
    for (std::size_t i = running.size(); i-- > 0;) {
      if (ready > 0 && (waiting[i].revents == 0 || running[i]->take(result))) continue;
      if (const auto rest = running[i]->end(result, ready == 0)) tasks.push_back(*rest);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (result.findings >= options.most_findings) break;
  }
  return result;
}

}  // namespace

SweepResult sweep(const std::vector<std::size_t>& scenarios, const Sweep& options) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const std::uint64_t share = options.points * (i + 1) / scenarios.size() - options.points * i / scenarios.size();
    for (std::uint64_t begin = 0; begin < share; begin += kChunkPoints) {
      tasks.push_back({scenarios[i], begin, std::min(share, begin + kChunkPoints), std::nullopt});
    }
  }
  return run_tasks(std::move(tasks), options);
}

void print_calls(std::size_t scenario) {
  std::string calls;
  {
    const ScratchDirectory scratch;
    const Trial trial(all_scenarios().at(scenario), scratch.path() + "/root");  // which has standard output
    for (const Event& event : trial.calls()) calls += event.name + " #" + std::to_string(event.number) + "\n";
    for (std::size_t i = 0; i < kResources; ++i) {
      calls += std::string(resource_name(static_cast<Resource>(i))) + ": " + std::to_string(trial.requests()[i]) + "\n";
    }
  }
  std::fputs(calls.c_str(), stdout);
}

SweepResult replay(std::uint64_t seed) { return run_tasks({{Seed::of(seed).scenario, 0, 1, seed}}, Sweep{}); }

}  // namespace spillway::sweep
