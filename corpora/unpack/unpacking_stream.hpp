// Unpacked bytes of a compressed input, and the faults in it at their places. A fault does not end the stream: it goes
// on at the next member (gzip) or frame (zstd) that can be found.
//
// Bytes are handed out in portions of kPortionBytes of a member, or at its end when it has proved whole; a portion in
// which the fault is found is dropped. So what is kept does not depend on how the caller reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "corpora/document/sink.hpp"
#include "corpora/unpack/codec.hpp"
#include "corpora/unpack/packed_input.hpp"

namespace spillway {

// What is wrong with a container: counts as one skipped record.
struct ContainerFault {
  SkipReason reason;
  std::string detail;
  std::uint64_t unpacked_offset = 0;
};

class UnpackedSource {
 public:
  virtual ~UnpackedSource() = default;
  // Up to out.size() bytes. 0: the end, or a fault (take_fault() tells).
  virtual std::size_t read(std::span<std::uint8_t> out) = 0;
  // The fault that stands here; what follows does not continue what came before. Reading goes on behind it, except
  // behind trailing garbage, which leaves what came before whole.
  virtual std::optional<ContainerFault> take_fault() = 0;
  // Stored bytes used so far.
  virtual std::uint64_t stored_position() const = 0;
};

// What is not compressed.
class PlainSource final : public UnpackedSource {
 public:
  explicit PlainSource(PackedInput input) : input_(std::move(input)) {}
  std::size_t read(std::span<std::uint8_t> out) override;
  std::optional<ContainerFault> take_fault() override { return std::nullopt; }
  std::uint64_t stored_position() const override { return input_.position(); }

 private:
  PackedInput input_;
};

class UnpackingStream final : public UnpackedSource {
 public:
  static constexpr std::size_t kPortionBytes = std::size_t{64} << 10;

  // `portion`: kPortionBytes of memory that lives longer.
  UnpackingStream(PackedInput input, std::unique_ptr<Codec> codec, std::span<std::uint8_t> portion)
      : input_(std::move(input)), codec_(std::move(codec)), portion_(portion) {}

  std::size_t read(std::span<std::uint8_t> out) override;
  std::optional<ContainerFault> take_fault() override;
  std::uint64_t stored_position() const override { return input_.position(); }

 private:
  bool find_member();
  bool search();
  void start_member(std::string_view head);
  void unpack_portion();
  void end_member();
  void break_member();
  void truncate_member();
  void report(SkipReason reason, const std::string& detail);

  PackedInput input_;
  std::unique_ptr<Codec> codec_;
  std::span<std::uint8_t> portion_;
  std::size_t filled_ = 0, handed_out_ = 0;  // of portion_
  std::uint64_t given_bytes_ = 0;            // handed out to the caller
  std::uint64_t member_begin_ = 0;
  // Bytes that may be read again after a fault: grows with what is unpacked, so that hostile input costs linear time.
  std::uint64_t rewind_credit_ = std::uint64_t{1} << 20;
  bool in_member_ = false;
  bool any_member_ = false;  // one has started
  bool searching_ = false;   // a fault was reported, and nothing after it has proved whole yet
  bool at_end_ = false;
  std::optional<ContainerFault> fault_;
};

}  // namespace spillway
