// The unpacked bytes of a compressed input, and the faults at their places. A fault does not end the stream, which
// continues at the next member (gzip) or frame (zstd).
//
// A member is handed out in portions of kPortionBytes and its last bytes once it has proved whole. A portion with a
// fault is dropped. The bytes that are kept therefore do not depend on how the caller reads. Time O(bytes), also for
// hostile input.
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

// A fault of a container, which counts as one skipped record.
struct ContainerFault {
  SkipReason reason;
  std::string detail;
  std::uint64_t unpacked_offset = 0;
};

class UnpackedSource {
 public:
  virtual ~UnpackedSource() = default;
  // Reads up to out.size() bytes. Returns 0 at the end and at a fault, which take_fault() tells apart.
  virtual std::size_t read(std::span<std::uint8_t> out) = 0;
  // Returns the fault at this place. The bytes after it do not continue those before it, except after trailing garbage,
  // which leaves the bytes before it whole.
  virtual std::optional<ContainerFault> take_fault() = 0;
  // The next member, if all its bytes come next and have been unpacked ahead to memory that can be shared; `unread`
  // bytes that read() gave last still count as coming. `next`: the bytes of the member after it, likewise, or nothing.
  struct NextMember {
    const SharedMember* member;
    std::span<const std::uint8_t> next;
  };
  virtual std::optional<NextMember> next_member(std::size_t) { return std::nullopt; }
  // Goes on after it.
  virtual void take_member() {}
  // Stored bytes read so far.
  virtual std::uint64_t stored_position() const = 0;
};

// An input that is not compressed.
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

  // `portion`: kPortionBytes that outlive this object.
  UnpackingStream(PackedInput input, std::unique_ptr<Codec> codec, std::span<std::uint8_t> portion)
      : input_(std::move(input)), codec_(std::move(codec)), portion_(portion) {}

  std::size_t read(std::span<std::uint8_t> out) override;
  std::optional<ContainerFault> take_fault() override;
  std::optional<NextMember> next_member(std::size_t unread) override;
  void take_member() override;
  std::uint64_t stored_position() const override { return input_.position(); }

 private:
  bool find_member();
  const SharedMember* open_offer();
  bool search();
  bool search_in_member();
  void start_member(std::string_view head);
  void unpack_portion();
  void end_member();
  void break_member();
  void truncate_member();
  void report(SkipReason reason, const std::string& detail);

  PackedInput input_;
  std::unique_ptr<Codec> codec_;
  std::span<std::uint8_t> portion_;
  std::span<const std::uint8_t> ready_;  // to hand out: in portion_, or in memory of the codec
  std::uint64_t given_bytes_ = 0;        // handed out so far
  std::optional<SharedMember> offered_;  // the member that is being handed out, if it was unpacked ahead
  std::uint64_t member_begin_ = 0;
  std::uint64_t taken_bytes_ = 0, rewound_bytes_ = 0;
  bool in_member_ = false;
  bool any_member_ = false;        // a member has started
  bool searching_ = false;         // after a fault, until bytes of a member prove whole
  bool after_truncation_ = false;  // until a member follows another one again
  bool at_end_ = false;
  std::optional<ContainerFault> fault_;
};

}  // namespace spillway
