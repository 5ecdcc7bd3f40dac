// Turns the unpacked bytes of an archive (WARC, tar) into buffers of records. A record that is longer than a buffer
// goes to a scratch file. Bytes that belong to no record of the right length come again, so that the framer can look
// for records among them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "corpora/archive/piece.hpp"
#include "corpora/document/record_source.hpp"
#include "corpora/document/spool.hpp"
#include "corpora/reader/task.hpp"
#include "io/scratch/temp_space.hpp"

namespace spillway {

class ArchiveCutter final : private PieceInput {
 public:
  // Returns false if the reader was stopped.
  using Emit = std::function<bool(UnpackedRecords)>;

  struct Memory {
    UnpackBuffers& buffers;
    TempSpace& temp;
    std::span<std::uint8_t> window;  // at least kMaxPeekBytes
    std::size_t begin, end;          // of the bytes in the window that were read already
  };

  // `format`: kWarc or kTar. Longer records are not kept.
  ArchiveCutter(UnpackedSource& source, CorpusFormat format, std::uint64_t longest_record_bytes, const Memory& memory,
                Emit emit);

  // Reads to the end of the input. Returns false if the reader was stopped.
  bool run();

 private:
  // Bytes that come again.
  struct Replay {
    std::unique_ptr<TempFile> file;
    std::uint64_t position, end;
  };
  static constexpr std::size_t kMaxRecords = 4096;  // in a buffer, so that their table stays small
  static constexpr std::size_t kMaxReplays = 8;
  static constexpr std::size_t kPeekStep = std::size_t{4} << 10;  // blocks go to the buffer without the window

  std::string_view peek(std::size_t wanted) override;
  void take(std::size_t bytes) override;
  std::size_t take_some(std::uint64_t most) override;
  void drop(std::size_t bytes) override;
  bool holds_piece() const override { return spool_ == nullptr || !spool_->is_too_long(); }
  bool give_back(std::uint64_t kept) override;

  bool share_members();
  bool send_shared(std::shared_ptr<Buffer> room);
  std::size_t read(std::span<std::uint8_t> out);
  std::string_view fill_window(std::size_t wanted, std::size_t step);
  std::size_t read_to_buffer(std::uint64_t most);
  std::uint64_t credit() const;
  void return_to_window();
  void replay();
  void keep(std::span<const std::uint8_t> bytes);
  bool make_room();
  void finish_piece(const ArchivePiece& piece);
  void send_spooled(const ArchiveRecord& record);
  bool send(std::optional<ContainerFault> fault);
  bool next_buffer();
  std::size_t capacity() const { return buffer_->span().size() - kRecordPadding; }
  std::span<std::uint8_t> rest_of_window() { return memory_.window.subspan(begin_, end_ - begin_); }

  UnpackedSource& source_;
  const CorpusFormat format_;
  const std::uint64_t longest_record_bytes_;
  Memory memory_;
  Emit emit_;
  const std::unique_ptr<ArchiveFramer> framer_;
  std::size_t begin_, end_;        // of the bytes in the window that come next
  std::uint64_t offset_;           // of the next byte, after unpacking
  std::uint64_t done_offset_ = 0;  // after the last piece that is finished
  std::vector<Replay> replays_;
  UnpackBuffers::Taken buffer_;
  std::size_t filled_ = 0;
  std::vector<ArchiveRecord> records_;  // in the buffer
  std::size_t piece_begin_ = 0;         // in the buffer, which holds at least the start of the piece
  std::uint64_t piece_bytes_ = 0, piece_offset_ = 0;
  std::unique_ptr<Spool> spool_;  // of a piece that does not fit the buffer
  std::uint64_t read_bytes_ = 0, returned_bytes_ = 0;
  bool stopped_ = false;
};

}  // namespace spillway
