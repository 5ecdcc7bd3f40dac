#include "corpora/tar/framer.hpp"

#include <algorithm>
#include <utility>

namespace spillway {

namespace {

// A tar file ends with two blocks of zeros, and is filled up to a multiple of 20 blocks. Others may follow in one file.
constexpr std::uint64_t kLeastEndBytes = 2 * kTarBlockBytes, kMostEndBytes = 21 * kTarBlockBytes;

std::uint64_t padding_of(std::uint64_t bytes) { return (kTarBlockBytes - bytes % kTarBlockBytes) % kTarBlockBytes; }

}  // namespace

bool TarFramer::at_header() {
  const std::string_view bytes = block();
  return bytes.size() == kTarBlockBytes && is_tar_header(bytes);
}

std::optional<ArchivePiece> TarFramer::next() {
  if (std::exchange(after_fault_, false)) drop_to_header();
  const std::uint64_t zeros = drop_zeros();
  if (block().empty()) return std::nullopt;
  const bool is_end = zeros >= kLeastEndBytes && zeros <= kMostEndBytes;
  taken_ = 0;
  if (at_header()) {
    if (zeros != 0 && !is_end) return ArchivePiece{Kind::kJunk, 0, zeros};
    return read_member();
  }
  if (zeros == 0) return read_member();
  return ArchivePiece{Kind::kJunk, 0, (is_end ? 0 : zeros) + drop_to_header().dropped};
}

std::uint64_t TarFramer::drop_zeros() {
  std::uint64_t dropped = 0;
  for (;;) {
    const std::string_view bytes = block();
    if (bytes.empty() || bytes.find_first_not_of('\0') != std::string_view::npos) return dropped;
    input_.drop(bytes.size());
    dropped += bytes.size();
  }
}

// Drops bytes up to the next header, or to the end.
TarFramer::Search TarFramer::drop_to_header() {
  std::uint64_t dropped = 0;
  for (;;) {
    const std::string_view bytes = input_.peek(PieceInput::kMaxPeekBytes);
    const std::size_t found = find_tar_header(bytes, static_cast<std::size_t>(padding_of(dropped)));
    const bool at_end = bytes.size() < PieceInput::kMaxPeekBytes;
    std::size_t count = found;
    if (found == std::string_view::npos) count = at_end ? bytes.size() : bytes.size() - (kTarBlockBytes - 1);
    input_.drop(count);
    dropped += count;
    if (found != std::string_view::npos) return {dropped, true};
    if (at_end) return {dropped, false};
  }
}

// Returns whether there are as many bytes.
bool TarFramer::drop(std::uint64_t bytes) {
  while (bytes != 0) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(input_.peek(1).size(), bytes));
    if (count == 0) return false;
    input_.drop(count);
    bytes -= count;
  }
  return true;
}

void TarFramer::take(std::string_view bytes) {
  const std::size_t count = bytes.size();  // the bytes may move
  reader_.feed(bytes);
  input_.take(count);
  taken_ += count;
}

ArchivePiece TarFramer::read_member() {
  reader_.reset();
  while (reader_.state() == TarHeaderReader::State::kOpen) {
    const std::string_view bytes = block();
    const bool must_be_header = reader_.at_header();
    const bool is_cut = bytes.size() < kTarBlockBytes;
    if (!is_cut && must_be_header && !is_tar_header(bytes)) return lose_header();
    take(bytes);
    if (is_cut) return {Kind::kCut, taken_, 0};
  }
  return reader_.state() == TarHeaderReader::State::kBad ? lose_header() : pass_data();
}

// A damaged header is taken too, because its name may be whole.
ArchivePiece TarFramer::lose_header() {
  if (taken_ == 0) {
    const std::string_view bytes = input_.peek(2 * kTarBlockBytes).substr(0, 2 * kTarBlockBytes);
    take(bytes.substr(0, std::min(kTarBlockBytes, find_tar_header(bytes, kTarBlockBytes))));
  }
  const std::uint64_t lost = drop_to_header().dropped;
  return {Kind::kBadHeader, taken_, lost};
}

ArchivePiece TarFramer::pass_data() {
  const TarHeader& header = reader_.header();
  if (header.type == TarHeader::Type::kFile) return read_file();
  for (bool goes_on = header.has_more_map; goes_on;) {
    const std::string_view bytes = block();
    if (bytes.size() < kTarBlockBytes) {
      input_.drop(bytes.size());
      return {Kind::kCut, taken_, 0};
    }
    goes_on = bytes[504] != '\0';
    input_.drop(kTarBlockBytes);
  }
  // Only a hard link of a pax file has data; other programs give the size of what it links to.
  if (header.type == TarHeader::Type::kHardLink && at_header()) return {Kind::kRecord, taken_, 0};
  const bool is_whole = drop(header.stored_bytes);
  drop(padding_of(header.stored_bytes));
  return {is_whole ? Kind::kRecord : Kind::kCut, taken_, 0};
}

ArchivePiece TarFramer::read_file() {
  const std::uint64_t bytes = reader_.header().stored_bytes;
  for (std::uint64_t left = bytes; left != 0;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input_.peek(1).size(), left));
    if (count == 0) return cut_file();
    input_.take(count);
    left -= count;
  }
  drop(padding_of(bytes));
  return {input_.peek(1).empty() ? Kind::kCorrected : Kind::kRecord, taken_, bytes};
}

// The end came before the size was reached. If the size is wrong, other members follow.
ArchivePiece TarFramer::cut_file() {
  if (!input_.give_back(taken_)) return {Kind::kCut, taken_, 0};
  const Search rest = drop_to_header();
  return {rest.found ? Kind::kWrongLength : Kind::kCut, taken_, rest.dropped};
}

}  // namespace spillway
