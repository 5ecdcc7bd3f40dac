#include "sort/library/background_sort.hpp"

#include <tbb/task_arena.h>

#include <memory>
#include <utility>

#include "io/file/posix_file_system.hpp"
#include "sort/lines/sorter.hpp"

namespace spillway {

BackgroundSort::BackgroundSort(LineOrder order, LineSortOptions options, std::size_t threads)
    : order_(std::move(order)), options_(std::move(options)), threads_(threads) {
  options_.check = [this] {
    if (is_stopped_) throw SortStopped();
  };
  options_.report = [this](const LineSortSummary& summary) { spilled_bytes_ = summary.spilled_bytes; };
  thread_ = std::thread([this] { run(); });
}

BackgroundSort::~BackgroundSort() {
  is_stopped_ = true;
  input_.stop();
  output_.stop();
  if (thread_.joinable()) thread_.join();
}

void BackgroundSort::run() {
  try {
    tbb::task_arena arena(static_cast<int>(threads_));
    arena.execute([&] {
      const auto open = [this](const std::string&) { return std::make_unique<TextPipeStream>(input_); };
      LineInput input(posix_file_system(), {"added strings"}, order_.format, options_.check, open);
      sort_lines(input, order_, options_, output_);
    });
  } catch (...) {
    error_ = std::current_exception();
  }
  input_.stop();
  output_.end();
}

void BackgroundSort::check() {
  if (thread_.joinable()) thread_.join();
  if (error_) std::rethrow_exception(error_);
}

}  // namespace spillway
