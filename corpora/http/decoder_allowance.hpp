// The part of a job's memory budget for the decoders of bodies: each parsing thread has a little, and one body at a
// time may take as much as any may need. So which bodies can be decoded depends on no budget and no number of threads.
#pragma once

#include <cstddef>
#include <mutex>

#include "corpora/http/decoder.hpp"
#include "io/scratch/temp_space.hpp"

namespace spillway {

// Thread-safe.
class DecoderAllowance {
 public:
  // `own_bytes`: for the decoders of each thread. `temp`, where the text of a body that took the shared memory is kept
  // if it is long, must outlive this object.
  DecoderAllowance(std::size_t own_bytes, TempSpace& temp) : own_bytes_(own_bytes), temp_(temp) {}
  // To be reserved by the owner.
  static std::size_t memory_bytes(std::size_t own_bytes, unsigned threads) {
    return kBodyDecoderBytes + threads * own_bytes;
  }

  DecoderLimit own() const { return {own_bytes_, WindowMemory::kGrowing}; }
  // Waits while another thread has the shared memory: kBodyDecoderBytes, until the result is destroyed. Requires, as
  // threads would wait for each other forever otherwise: the holder hands nothing to a DocumentSink, which may wait
  // for the documents of all earlier tasks.
  [[nodiscard]] std::unique_lock<std::mutex> take_shared() { return std::unique_lock(mutex_); }
  TempSpace& temp() const { return temp_; }

 private:
  const std::size_t own_bytes_;
  TempSpace& temp_;
  std::mutex mutex_;
};

}  // namespace spillway
