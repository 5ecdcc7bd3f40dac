#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "io/base/error.hpp"
#include "sort/library/background_sort.hpp"
#include "sort/library/failure.hpp"
#include "sort/library/limits.hpp"
#include "sort/library/sort.hpp"
#include "sort/library/string_adder.hpp"
#include "sort/library/string_reader.hpp"

namespace spillway {

struct ExternalStringSorter::State {
  enum class Phase { kAdding, kReading, kFailed };

  explicit State(const ExternalSortOptions& options) : State(plan_external_sort(options), options.most_string_bytes) {}
  State(ExternalSortPlan plan, std::size_t most_bytes)
      : most_string_bytes(most_bytes),
        sort(std::move(plan.order), std::move(plan.engine), plan.threads),
        adder(sort.input()) {}

  // Throws unless this is the phase.
  void require(Phase wanted, const char* call) {
    if (phase == wanted) return;
    if (phase == Phase::kFailed) fail();
    throw UsageError(std::string(call) +
                     (wanted == Phase::kReading ? " was called before finish()" : " was called after finish()"));
  }

  [[noreturn]] void fail() {
    phase = Phase::kFailed;
    sort.check();
    throw std::logic_error("a sort ended before its input");
  }

  void add(std::string_view key, std::optional<std::string_view> value) {
    require(Phase::kAdding, "add()");
    check_length(key, value.value_or(std::string_view()));
    if (!adder.add(key, value)) fail();
    ++added;
  }

  void check_length(std::string_view key, std::string_view value) const {
    if (2 * (key.size() + value.size()) <= most_string_bytes) return;
    const std::size_t bytes = packed_bytes(key) + packed_bytes(value);
    if (bytes <= most_string_bytes) return;
    throw UsageError("a string of " + std::to_string(bytes) + " bytes, bytes 0, 1 and 2 counted twice: at most " +
                     std::to_string(most_string_bytes) + " are possible; raise most_string_bytes");
  }

  void finish() {
    require(Phase::kAdding, "finish()");
    adder.finish();
    phase = Phase::kReading;
    if (!sort.output().wait()) check();
  }

  bool next() {
    require(Phase::kReading, "next()");
    while (!reader.next()) {
      const std::span<const std::uint8_t> text = sort.output().take();
      reader.take(text);
      if (!text.empty()) continue;
      check();
      return false;
    }
    return true;
  }

  // Requires: the sort has ended.
  void check() {
    phase = Phase::kFailed;
    sort.check();
    phase = Phase::kReading;
  }

  const std::size_t most_string_bytes;
  Phase phase = Phase::kAdding;
  std::uint64_t added = 0;
  BackgroundSort sort;
  StringAdder adder;
  StringReader reader;
};

ExternalStringSorter::ExternalStringSorter(const ExternalSortOptions& options)
    : state_(with_sort_failures([&] { return std::make_unique<State>(options); })) {}
ExternalStringSorter::~ExternalStringSorter() = default;
ExternalStringSorter::ExternalStringSorter(ExternalStringSorter&&) noexcept = default;
ExternalStringSorter& ExternalStringSorter::operator=(ExternalStringSorter&&) noexcept = default;

void ExternalStringSorter::add(std::string_view string) {
  with_sort_failures([&] { state_->add(string, std::nullopt); });
}
void ExternalStringSorter::add(std::string_view key, std::string_view value) {
  with_sort_failures([&] { state_->add(key, value); });
}
void ExternalStringSorter::finish() {
  with_sort_failures([&] { state_->finish(); });
}
bool ExternalStringSorter::next() {
  return with_sort_failures([&] { return state_->next(); });
}
std::string_view ExternalStringSorter::string() const { return state_->reader.string(); }
std::string_view ExternalStringSorter::value() const { return state_->reader.value(); }
std::uint64_t ExternalStringSorter::size() const { return state_->added; }
std::uint64_t ExternalStringSorter::spilled_bytes() const { return state_->sort.spilled_bytes(); }

}  // namespace spillway
