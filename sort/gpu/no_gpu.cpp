// Stands in for the .cu and *_cuda.cpp files of sort/gpu in a build without CUDA: there is no GPU and no GPU sorter.
#include <utility>

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/registered_memory.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/hybrid_msd/prefix_sort.hpp"
#include "sort/gpu/registry.hpp"

namespace spillway {

namespace {

[[noreturn]] void refuse() { throw GpuError(find_gpus().detail); }

}  // namespace

bool has_gpu_driver() { return false; }
bool has_gpu_nodes(const std::vector<int>&) { return false; }

GpuStatus find_gpus() {
  GpuStatus status;
  status.detail = "this program was built without CUDA: build it where nvcc is on the PATH";
  return status;
}
std::size_t free_device_bytes(int) { refuse(); }
void begin_gpu_profile() {}
void end_gpu_profile() {}
void end_gpu_use(int) {}

GpuStream::GpuStream(int gpu) : gpu_(gpu) { refuse(); }
GpuStream::~GpuStream() = default;
GpuStream::GpuStream(GpuStream&& other) noexcept = default;
GpuStream& GpuStream::operator=(GpuStream&& other) noexcept = default;
void GpuStream::make_current() const { refuse(); }
void GpuStream::synchronize() const { refuse(); }
GpuEvent::GpuEvent() { refuse(); }
GpuEvent::~GpuEvent() = default;
void GpuEvent::record(GpuStreamHandle) { refuse(); }
void GpuEvent::synchronize() const { refuse(); }
double GpuEvent::since_ms(const GpuEvent&) const { refuse(); }
DeviceBuffer::DeviceBuffer(int, std::size_t) { refuse(); }
DeviceBuffer::~DeviceBuffer() = default;
DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept = default;
DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept = default;
std::shared_ptr<std::uint8_t> shared_device_memory(int, std::size_t) { refuse(); }
PinnedBuffer::PinnedBuffer(std::size_t) { refuse(); }
PinnedBuffer::~PinnedBuffer() = default;
PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept = default;
PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept = default;
std::unique_ptr<PrefixSort> gpu_prefix_sort(std::size_t, std::span<std::uint8_t>, std::span<const int>) { refuse(); }
RegisteredMemory::RegisteredMemory(std::span<std::uint8_t>, int) { refuse(); }
RegisteredMemory::~RegisteredMemory() = default;
void copy_to_device(void*, const void*, std::size_t, GpuStreamHandle) { refuse(); }
void copy_to_host(void*, const void*, std::size_t, GpuStreamHandle) { refuse(); }
void copy_on_device(void*, const void*, std::size_t, GpuStreamHandle) { refuse(); }

const std::vector<const DeviceRecordSorter*>& device_record_sorters() {
  static const std::vector<const DeviceRecordSorter*> none;
  return none;
}
const std::vector<const DeviceStringSorter*>& device_string_sorters() {
  static const std::vector<const DeviceStringSorter*> none;
  return none;
}
const std::vector<const DeviceStringSorter*>& device_string_variants() { return device_string_sorters(); }
const std::vector<const DeviceRecordSorter*>& device_record_baselines() { return device_record_sorters(); }
const std::vector<const DeviceStringSorter*>& device_string_baselines() { return device_string_sorters(); }

}  // namespace spillway
