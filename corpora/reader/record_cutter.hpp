// Turns the unpacked bytes of one compressed file or stream into buffers of whole records. A record that is longer than
// a buffer goes to a scratch file. The rest of a record that a fault of the container cut is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "corpora/reader/task.hpp"
#include "corpora/records/borders.hpp"
#include "io/scratch/temp_space.hpp"

namespace spillway {

class RecordCutter {
 public:
  // Returns false if the reader was stopped.
  using Emit = std::function<bool(UnpackedRecords)>;
  static constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

  struct Memory {
    UnpackBuffers& buffers;
    std::size_t text_bytes;  // of records of other formats than archives in a buffer
    TempSpace& temp;
    std::span<std::uint8_t> head;  // kHeadBytes, to recognise the format
  };

  RecordCutter(std::shared_ptr<const CorpusFile> file, UnpackedSource& source, std::uint64_t max_document_bytes,
               Memory memory, Emit emit);

  // Reads to the end of the input. Returns false if the reader was stopped, as do the functions below.
  bool run();

 private:
  using Fault = std::optional<ContainerFault>;
  // Reads from the head first, then from the source.
  std::size_t read(std::span<std::uint8_t> out);
  bool read_head();
  bool recognise();
  bool cut_records();
  bool cut_full_buffer();
  bool spool_record();
  bool cut_archive();
  bool copy_text();
  bool spool_text();
  bool drain();
  bool next_buffer();
  bool handle_fault(ContainerFault fault, bool cut_a_record);
  bool drop_rest_of_record();
  bool send(std::size_t bytes, Fault fault = std::nullopt);
  bool send_fault(ContainerFault fault);
  bool send_spooled(std::unique_ptr<TempFile> spooled, std::uint64_t bytes, std::uint64_t end_offset);
  bool emit(UnpackedRecords records);
  std::span<std::uint8_t> room();
  UnpackedRecords records();

  const std::shared_ptr<const CorpusFile> file_;
  UnpackedSource& source_;
  std::uint64_t longest_spooled_bytes_;
  Memory memory_;
  Emit emit_;
  CorpusFormat format_;
  RecordBorders borders_;
  std::size_t head_begin_ = 0, head_end_ = 0;
  UnpackBuffers::Taken buffer_;
  std::size_t filled_ = 0;
  std::uint64_t buffer_offset_ = 0;  // unpacked offset of the buffer's first byte
  std::uint64_t stored_reported_ = 0;
  bool ends_input_ = false;     // nothing follows what is sent
  bool in_cut_record_ = false;  // a fault took the start of the record that comes next
};

}  // namespace spillway
