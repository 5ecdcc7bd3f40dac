// Turns the unpacked bytes of one compressed file or stream into windows of whole records. A record that fits no window
// goes to a scratch file; what a fault of the container leaves behind of a record is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "corpora/reader/task.hpp"
#include "corpora/records/borders.hpp"
#include "io/file/temp_space.hpp"

namespace spillway {

class RecordCutter {
 public:
  // False: the reader was stopped.
  using Emit = std::function<bool(UnpackedRecords)>;
  static constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

  struct Memory {
    WindowPool& windows;
    TempSpace& temp;
    std::span<std::uint8_t> head;  // kHeadBytes, to recognise the format by
  };

  RecordCutter(const CorpusFile& file, UnpackedSource& source, std::uint64_t max_document_bytes, Memory memory,
               Emit emit);

  // To the end of the input. False: stopped.
  bool run();

 private:
  // The source, with the head read before.
  std::size_t read(std::span<std::uint8_t> out);
  bool read_head();
  bool recognise();
  bool cut_records();
  bool cut_full_window();
  bool spool_record();
  bool copy_text();
  bool spool_text();
  bool drain();
  bool next_window();
  bool handle_fault(ContainerFault fault, bool cut_a_record);
  bool drop_rest_of_record();
  bool send(std::size_t bytes, std::vector<ContainerFault> faults);
  bool send_spooled(std::unique_ptr<TempFile> spooled, std::uint64_t bytes);
  bool emit(UnpackedRecords records);
  std::span<std::uint8_t> room();
  UnpackedRecords records();

  const CorpusFile& file_;
  UnpackedSource& source_;
  std::uint64_t longest_spooled_bytes_;
  Memory memory_;
  Emit emit_;
  CorpusFormat format_;
  RecordBorders borders_;
  std::size_t head_begin_ = 0, head_end_ = 0;
  PooledWindow window_;
  std::size_t filled_ = 0;
  std::uint64_t window_offset_ = 0;  // unpacked offset of the window's first byte
  std::uint64_t stored_reported_ = 0;
  bool ends_input_ = false;     // nothing follows what is sent
  bool in_cut_record_ = false;  // a fault has taken the start of what follows
};

}  // namespace spillway
