#include <sys/mman.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/gpu/device/memory.hpp"

namespace spillway {

namespace {

// cuda_check() of a call that a test may fail. An injected fault comes before the call, so that nothing leaks.
template <typename Call>
void checked(const Call& call, std::source_location place = std::source_location::current()) {
  count_gpu_call();
  cuda_check(call(), place);
}

void make_gpu_current(int gpu) { cuda_check(cudaSetDevice(gpu)); }

constexpr std::size_t kPageBytes = 4096, kLargePageBytes = std::size_t{2} << 20;

// Makes the pages resident, on all threads.
void touch_pages(std::uint8_t* data, std::size_t bytes) {
  constexpr std::size_t kStride = 4 * kLargePageBytes;
  tbb::parallel_for(std::size_t{0}, (bytes + kStride - 1) / kStride, [&](std::size_t i) {
    const std::size_t end = std::min(bytes, (i + 1) * kStride);
    for (std::size_t at = i * kStride; at < end; at += kPageBytes) static_cast<volatile std::uint8_t*>(data)[at] = 0;
  });
}

}  // namespace

GpuStream::GpuStream(int gpu) : gpu_(gpu) {
  make_gpu_current(gpu);
  cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}
GpuStream::~GpuStream() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}
GpuStream::GpuStream(GpuStream&& other) noexcept : gpu_(other.gpu_), stream_(std::exchange(other.stream_, nullptr)) {}
GpuStream& GpuStream::operator=(GpuStream&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(stream_, other.stream_);
  return *this;
}
void GpuStream::make_current() const { make_gpu_current(gpu_); }
void GpuStream::synchronize() const {
  checked([&] { return cudaStreamSynchronize(stream_); });
}
void GpuStream::wait_for(const GpuEvent& event) const { cuda_check(cudaStreamWaitEvent(stream_, event.event_, 0)); }

// Waiting blocks the thread instead of spinning, because the processors have other work.
GpuEvent::GpuEvent() { cuda_check(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync)); }
GpuEvent::~GpuEvent() { cudaEventDestroy(event_); }
void GpuEvent::record(GpuStreamHandle stream) { cuda_check(cudaEventRecord(event_, stream)); }
void GpuEvent::synchronize() const {
  checked([&] { return cudaEventSynchronize(event_); });
}
double GpuEvent::since_ms(const GpuEvent& earlier) const {
  float ms = 0;
  cuda_check(cudaEventElapsedTime(&ms, earlier.event_, event_));
  return ms;
}

DeviceBuffer::DeviceBuffer(int gpu, std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  make_gpu_current(gpu);
  checked([&] { return cudaMalloc(reinterpret_cast<void**>(&data_), bytes); });
}
DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) cudaFree(data_);
}
DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

std::shared_ptr<std::uint8_t> shared_device_memory(int gpu, std::size_t bytes) {
  const auto buffer = std::make_shared<DeviceBuffer>(gpu, bytes);
  return {buffer, buffer->data()};
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes >= 4 * kLargePageBytes && map_and_register(bytes)) return;
  checked([&] { return cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes, cudaHostAllocPortable); });
}

// Locks large pages that are already resident, which takes a tenth of the time of cudaHostAlloc. Returns false where
// the system does not allow it.
bool PinnedBuffer::map_and_register(std::size_t bytes) {
  count_gpu_call();
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return false;
  madvise(mapped, bytes, MADV_HUGEPAGE);
  touch_pages(static_cast<std::uint8_t*>(mapped), bytes);
  if (cudaHostRegister(mapped, bytes, cudaHostRegisterPortable) != cudaSuccess) {
    cudaGetLastError();
    munmap(mapped, bytes);
    return false;
  }
  data_ = static_cast<std::uint8_t*>(mapped);
  is_mapped_ = true;
  return true;
}

PinnedBuffer::~PinnedBuffer() {
  if (data_ == nullptr) return;
  if (!is_mapped_) {
    cudaFreeHost(data_);
    return;
  }
  cudaHostUnregister(data_);
  munmap(data_, bytes_);
}
PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      is_mapped_(other.is_mapped_) {}
PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(is_mapped_, other.is_mapped_);
  return *this;
}

void copy_to_device(void* d_to, const void* h_from, std::size_t bytes, GpuStreamHandle stream) {
  if (bytes == 0) return;
  checked([&] { return cudaMemcpyAsync(d_to, h_from, bytes, cudaMemcpyHostToDevice, stream); });
}
void copy_to_host(void* h_to, const void* d_from, std::size_t bytes, GpuStreamHandle stream) {
  if (bytes == 0) return;
  checked([&] { return cudaMemcpyAsync(h_to, d_from, bytes, cudaMemcpyDeviceToHost, stream); });
}
void copy_on_device(void* d_to, const void* d_from, std::size_t bytes, GpuStreamHandle stream) {
  if (bytes == 0) return;
  checked([&] { return cudaMemcpyAsync(d_to, d_from, bytes, cudaMemcpyDeviceToDevice, stream); });
}

void connect_gpus(int to, int from) {
  int can = 0;
  checked([&] { return cudaDeviceCanAccessPeer(&can, to, from); });
  if (can == 0) return;
  make_gpu_current(to);
  checked([&] {
    const cudaError_t error = cudaDeviceEnablePeerAccess(from, 0);
    if (is_sticky(error)) return error;
    if (error != cudaSuccess) cudaGetLastError();  // it is so already, or the system allows no more
    return cudaSuccess;
  });
}

}  // namespace spillway
