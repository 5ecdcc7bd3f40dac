#include "tests/support/host_gpu/host_batches.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "indexer/gpu/merge/batch_host.hpp"
#include "indexer/gpu/merge/batch_pass.hpp"
#include "indexer/gpu/merge/gpu_batches.hpp"
#include "sort/gpu/device/error.hpp"
#include "tests/support/host_gpu/host_steps.hpp"
#include "tests/support/host_gpu/sort_host_strings.hpp"

namespace spillway::testing {

struct HostBatchLanes::Tables {
  std::vector<std::uint64_t> high_powers;
  BatchTables tables{};
};

namespace {

// Memory aligned as that of a GPU, filled with what no step may rely on.
class FilledMemory {
 public:
  explicit FilledMemory(std::size_t bytes) : bytes_(bytes + kDeviceAlignment, 0xCD) {}
  std::uint8_t* data() {
    void* begin = bytes_.data();
    std::size_t room = bytes_.size();
    return static_cast<std::uint8_t*>(std::align(kDeviceAlignment, bytes_.size() - kDeviceAlignment, begin, room));
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

class HostBatchExecutor : public HostSteps {
 public:
  HostBatchExecutor(const BatchLimits& limits, const BatchTables& tables)
      : tables_(tables), memory_(batch_host_bytes(limits)), arrays_(batch_arrays(memory_.data(), limits)) {}

  const BatchArrays& arrays() const { return arrays_; }
  const BatchTables& tables() const { return tables_; }
  std::uint8_t* begin(std::size_t bytes) {
    count_gpu_call();
    pass_ = std::make_unique<FilledMemory>(bytes);
    return pass_->data();
  }
  void end() { pass_.reset(); }
  void abandon() noexcept { pass_.reset(); }
  void upload(void* to, const void* from, std::size_t bytes) {
    count_gpu_call();
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void download(std::uint8_t* to, const void* from, std::size_t bytes) {
    count_gpu_call();
    std::memcpy(to, from, bytes);
  }
  static std::size_t scratch_bytes(const BatchSize&) { return 0; }

 private:
  const BatchTables& tables_;
  FilledMemory memory_;
  const BatchArrays arrays_;
  std::unique_ptr<FilledMemory> pass_;
};

class HostOrderExecutor : public HostSteps {
 public:
  static std::size_t free_bytes() { return ~std::size_t{0}; }
  static bool is_near(const DeviceLists&) { return true; }
  std::shared_ptr<std::uint8_t> allocate(std::size_t bytes) {
    count_gpu_call();
    const auto memory = std::make_shared<FilledMemory>(bytes);
    return {memory, memory->data()};
  }
  static std::shared_ptr<std::uint8_t> near(const DeviceLists& lists) { return lists.memory; }
  void copy(void* to, const void* from, std::size_t bytes) { upload(to, from, bytes); }
  void upload(void* to, const void* from, std::size_t bytes) {
    count_gpu_call();
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) { upload(to, from, bytes); }
  static std::size_t string_scratch_bytes(std::size_t strings, std::size_t) { return host_sort_bytes(strings); }
  static std::size_t scan_bytes(std::size_t) { return 0; }
  void sort_strings(const DeviceStrings& strings, const MarkedOrder& out, std::span<std::uint8_t> scratch) {
    count_gpu_call();
    sort_host_strings(strings, out, scratch);
  }
};

}  // namespace

HostBatchLanes::HostBatchLanes(const BatchLimits& limits, unsigned lanes, const BatchLimits& large,
                               std::size_t large_bytes, std::vector<DeviceLists> held)
    : limits_(limits), large_limits_(large), lanes_(lanes), held_(std::move(held)), budget_(large_bytes) {}
HostBatchLanes::~HostBatchLanes() = default;

void HostBatchLanes::begin(const BatchMergeSource& source) {
  tables_ = std::make_unique<Tables>();
  for (std::uint64_t i = 0; i <= source.document_count / DocumentPowers::kCount; ++i) {
    tables_->high_powers.push_back(high_document_power(i));
  }
  tables_->tables = {.powers = {document_powers().low.data(), tables_->high_powers.data()},
                     .numbers = source.dropped.none()
                                    ? KeptNumbers{}
                                    : KeptNumbers{source.dropped.bits().data(), source.dropped.dropped_before().data()},
                     .length_codes = source.length_codes.data(),
                     .document_count = source.document_count,
                     .has_positions = source.has_positions};
  if (!held_.empty()) {
    HostOrderExecutor executor;
    if (failing_order_.first != 0) fail_gpu_call(failing_order_.first, failing_order_.second);
    try {
      order_ = TermOrderMaker<HostOrderExecutor>(executor, held_).make(true, most_order_bytes(held_));
      if (order_->is_of(source.inputs)) {
        TermOrderMaker<HostOrderExecutor>::set_inputs(executor, source.inputs, *order_);
        tables_->tables.held = order_->order();
      } else {
        order_.reset();
      }
    } catch (const GpuError&) {  // threads collect the lists
      order_.reset();
    }
  }
  if (large_limits_.lists != 0) {
    large_.budget = &budget_;
    large_.lane = std::make_unique<ExecutorBatchLane<HostBatchExecutor>>(large_limits_, tables_->tables);
  }
  if (failing_.first != 0) fail_gpu_call(failing_.first, failing_.second);
}

const HeldLists* HostBatchLanes::held() noexcept { return order_ == nullptr ? nullptr : &order_->lists(); }

std::unique_ptr<BatchLane> HostBatchLanes::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (lanes_ == 0) return nullptr;
  --lanes_;
  return std::make_unique<ExecutorBatchLane<HostBatchExecutor>>(limits_, tables_->tables);
}

void HostBatchLanes::fail(const std::string& why) noexcept {
  const std::lock_guard lock(mutex_);
  failures_.push_back(why);
}

BatchLimits wide_batch_limits(bool has_positions) {
  return {
      .posting_bytes = 1 << 20, .distance_bytes = has_positions ? 4U << 20 : 0, .fragments = 1 << 16, .lists = 1 << 14};
}
BatchLimits narrow_batch_limits(bool has_positions) {
  return {.posting_bytes = 200, .distance_bytes = has_positions ? 900U : 0, .fragments = 20, .lists = 5};
}

}  // namespace spillway::testing
