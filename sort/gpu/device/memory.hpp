// Owners of what a GPU computation needs: streams, events, device memory, pinned host memory, and the arena that the
// consumers of one stream share. A plain C++ header: the border between CUDA and everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

struct CUstream_st;
struct CUevent_st;

namespace spillway {

using GpuStreamHandle = CUstream_st*;  // cudaStream_t

// Work on one GPU, in order. Movable, not thread-safe. All throw GpuError.
class GpuStream {
 public:
  explicit GpuStream(int gpu);
  ~GpuStream();
  GpuStream(GpuStream&& other) noexcept;
  GpuStream& operator=(GpuStream&& other) noexcept;

  int gpu() const { return gpu_; }
  GpuStreamHandle handle() const { return stream_; }
  // Makes this stream's GPU the calling thread's current one: needed before work is put on it.
  void make_current() const;
  // Waits until all work put on it is done; throws what that work met.
  void synchronize() const;

 private:
  int gpu_;
  GpuStreamHandle stream_ = nullptr;
};

// A point in a stream, with its time.
class GpuEvent {
 public:
  GpuEvent();  // on the calling thread's current GPU
  ~GpuEvent();
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;

  void record(const GpuStream& stream);
  void synchronize() const;
  // Milliseconds from `earlier` to this; both recorded, and done.
  double since_ms(const GpuEvent& earlier) const;

 private:
  CUevent_st* event_ = nullptr;
};

// Device memory of one allocation. Empty after a move.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  // GpuMemoryError where the device has no more.
  DeviceBuffer(int gpu, std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  std::uint8_t* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Page-locked host memory, which copies to and from any GPU at full speed. It is resident: pay for it from the
// MemoryBudget. Expensive to make (0.05 s/GiB on 16 threads, small ones 0.5): make it once.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(PinnedBuffer&& other) noexcept;
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;

  std::uint8_t* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  template <typename T>
  std::span<T> as(std::size_t count) const {
    return {reinterpret_cast<T*>(data_), count};
  }

 private:
  bool map_and_register(std::size_t bytes);
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_mapped_ = false;
};

// Copies that run in stream order; `from` and `to` outlive them. With pageable host memory they block the caller.
void copy_to_device(void* d_to, const void* h_from, std::size_t bytes, GpuStreamHandle stream);
void copy_to_host(void* h_to, const void* d_from, std::size_t bytes, GpuStreamHandle stream);
void copy_on_device(void* d_to, const void* d_from, std::size_t bytes, GpuStreamHandle stream);

}  // namespace spillway
