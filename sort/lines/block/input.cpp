#include "sort/lines/block/input.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "io/base/error.hpp"
#include "io/file/direct_file.hpp"
#include "io/file/guarded_mapping.hpp"

namespace spillway {

namespace {

// A thread reads this at a time. The last pieces that a block has room for are small, and read by all threads, too.
constexpr std::size_t kReadBytes = std::size_t{256} << 10, kDirectReadBytes = std::size_t{1} << 20;

// Calls body(0), ..., body(count - 1) by at most `most` threads: this one, and new ones, as far as the system allows
// them. Rethrows what one of the calls threw.
template <typename Body>
void for_each_by_threads(std::size_t count, std::size_t most, const Body& body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < std::min(count, most); ++i) threads.emplace_back(work);
    } catch (const std::system_error&) {
    }
    work();
  }
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace

LineInput::LineInput(FileSystem& files, std::vector<std::string> paths, LineFormat format, std::function<void()> check,
                     InputOpener opener)
    : files_(files), paths_(std::move(paths)), format_(format), check_(std::move(check)), opener_(std::move(opener)) {}

bool LineInput::open_next() {
  if (next_ == paths_.size()) return false;
  if (keeps_places_) begins_.push_back({next_, text_bytes_, bytes_read_});
  const std::string& path = paths_[next_++];
  if (opener_) stream_ = opener_(path);
  const auto status = path == "-" || stream_ ? std::nullopt : files_.status(path);
  // Files of /proc are regular, have no size, and hold text.
  if (status && status->type == FileType::kRegular && status->size != 0) {
    file_ = direct_threads_ != 0 ? open_direct_file(path) : files_.open(path);
  } else if (stream_ == nullptr) {
    stream_ = files_.open_stream(path);
    stream_->set_wait_check(check_);
  }
  offset_ = bytes_of_current_ = 0;
  longest_.begin_text(next_ - 1);
  is_mapped_ = false;
  is_open_ = is_empty_ = true;
  return true;
}

std::size_t LineInput::read(std::span<std::uint8_t> out) { return read(out, false); }

std::size_t LineInput::map_or_read(std::span<std::uint8_t> out) { return read(out, true); }

std::size_t LineInput::read(std::span<std::uint8_t> out, bool may_map) {
  std::size_t done = 0;
  while (done < out.size()) {
    if (check_) check_();
    if (!is_open_ && !open_next()) break;
    const std::size_t mapped = may_map ? map_file(out.subspan(done)) : 0;
    const std::size_t got = mapped != 0 ? mapped : read_current(out.subspan(done));
    if (got != 0) {
      if (format_.has_ends()) longest_.add(out.subspan(done, got));
      done += got;
      text_bytes_ += got;
      bytes_read_ += got;
      bytes_of_current_ += got;
      last_byte_ = out[done - 1];
      is_empty_ = false;
      continue;
    }
    if (!format_.has_ends()) {
      if (bytes_of_current_ % format_.record_bytes != 0) refuse_part_of_record();
    } else if (!is_empty_ && last_byte_ != static_cast<std::uint8_t>(format_.line_end)) {
      out[done++] = static_cast<std::uint8_t>(format_.line_end);
      ++text_bytes_;
    }
    longest_.end_text();
    if (is_mapped_) mapped_.push_back(std::move(file_));
    file_.reset();
    stream_.reset();
    is_open_ = false;
  }
  return done;
}

InputDone LineInput::done_before(std::uint64_t bytes) {
  const std::uint64_t text = text_bytes_ - bytes;
  const auto after = std::ranges::upper_bound(begins_, text, {}, &Begin::text);
  const std::uint64_t read = after == begins_.end() ? bytes_read_ : after->bytes;  // without a line end that was added
  begins_.erase(begins_.begin(), std::prev(after));
  const Begin& begin = begins_.front();
  const std::uint64_t offset = text - begin.text;
  return {begin.input, offset, std::min(begin.bytes + offset, read)};
}

void LineInput::go_on_after(const InputDone& done) {
  next_ = static_cast<std::size_t>(done.input);
  bytes_read_ = done.bytes;
  if (!open_next()) return;
  bytes_of_current_ = skip(done.offset);
  longest_.begin_text(next_ - 1, bytes_of_current_);
  text_bytes_ = done.offset;
  begins_.back() = {done.input, 0, done.bytes - std::min(done.bytes, bytes_of_current_)};
  is_empty_ = bytes_of_current_ == 0;
  last_byte_ = static_cast<std::uint8_t>(format_.line_end);
}

// Returns how many bytes there were, up to `bytes`.
std::uint64_t LineInput::skip(std::uint64_t bytes) {
  if (file_ != nullptr) return offset_ = std::min(bytes, file_->size());
  std::vector<std::uint8_t> dropped(std::min<std::uint64_t>(bytes, kReadBytes));
  std::uint64_t done = 0;
  while (done != bytes) {
    if (check_) check_();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(dropped.size(), bytes - done));
    const std::size_t got = stream_->read(std::span(dropped).first(wanted));
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::optional<std::uint64_t> LineInput::file_ahead() {
  if (!is_open_ && !open_next()) return std::nullopt;
  return file_ != nullptr && offset_ == 0 ? std::optional(file_->size()) : std::nullopt;
}

std::optional<std::uint64_t> LineInput::bytes_left() const {
  if (file_ == nullptr || next_ != paths_.size()) return std::nullopt;
  return file_->size() - std::min(offset_, file_->size());
}

const ReadableFile* LineInput::only_file() { return paths_.size() == 1 && file_ahead() ? file_.get() : nullptr; }

void LineInput::leave_out_file() {
  bytes_read_ = text_bytes_ = file_->size();
  file_.reset();
  is_open_ = false;
}

std::optional<LinePlace> LineInput::longest_line() const {
  const auto& found = longest_.longest();
  if (!found || found->bytes < LongestLineFinder::kSurelyFound) return std::nullopt;
  return LinePlace{paths_[found->text], found->begin, found->bytes};
}

void LineInput::end_mappings() {
  for (const auto& file : mapped_) file->check_mapping();
  mapped_.clear();
}

// Returns 0 if the next bytes cannot be mapped. The last part of a page is read: if the file is truncated, the system
// drops all that its last page holds, what the caller has written after the text as well.
std::size_t LineInput::map_file(std::span<std::uint8_t> out) {
  const std::size_t page = page_bytes();
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(out.data()) % page == 0 && offset_ % page == 0;
  if (file_ == nullptr || !is_aligned || offset_ >= file_->size()) return 0;
  const std::size_t bytes = std::min<std::uint64_t>(file_->size() - offset_, out.size()) / page * page;
  if (bytes == 0 || !file_->map_in_place(offset_, out.first(bytes))) return 0;
  is_mapped_ = true;
  tbb::parallel_for(std::size_t{0}, (bytes + kReadBytes - 1) / kReadBytes, [&](std::size_t part) {
    const std::size_t begin = part * kReadBytes;
    load_pages(out.subspan(begin, std::min(kReadBytes, bytes - begin)));
  });
  offset_ += bytes;
  return bytes;
}

void LineInput::refuse_part_of_record() const {
  const std::uint64_t part = bytes_of_current_ % format_.record_bytes;
  throw FormatError(printable(paths_[next_ - 1], 4096) + ": byte " + std::to_string(bytes_of_current_ - part) +
                    ": expected a record of " + std::to_string(format_.record_bytes) + " bytes, found the last " +
                    std::to_string(part) + " bytes of the input; give the size of its records with --record-size");
}

std::size_t LineInput::read_current(std::span<std::uint8_t> out) {
  if (file_ != nullptr) return read_file(out);
  return stream_->read(out);
}

// A file that grew meanwhile is read to its new end.
std::size_t LineInput::read_file(std::span<std::uint8_t> out) {
  const std::uint64_t size = file_->size();
  const std::size_t wanted =
      offset_ < size ? static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size - offset_)) : out.size();
  const std::size_t part_bytes = direct_threads_ != 0 ? kDirectReadBytes : kReadBytes;
  const std::size_t parts = (wanted + part_bytes - 1) / part_bytes;
  if (offset_ >= size) {
    const std::size_t got = file_->read_at(offset_, out.first(std::min(wanted, part_bytes)));
    offset_ += got;
    return got;
  }
  const auto read_part = [&](std::size_t part) {
    const std::size_t begin = part * part_bytes, bytes = std::min(part_bytes, wanted - begin);
    file_->read_exactly(offset_ + begin, out.subspan(begin, bytes));
  };
  if (direct_threads_ != 0) {
    for_each_by_threads(parts, direct_threads_, read_part);
  } else {
    tbb::parallel_for(std::size_t{0}, parts, read_part);
  }
  offset_ += wanted;
  return wanted;
}

}  // namespace spillway
