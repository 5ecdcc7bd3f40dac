#include "io/run/postings_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/run/posting_batch.hpp"

namespace spillway {

namespace {

[[noreturn]] void fail(std::string_view where, const RunEntry& entry, const std::string& found) {
  std::size_t bytes = entry.postings.size();
  for (const ListFragment& fragment : entry.fragments) bytes += fragment.postings.size();
  throw FormatError(std::string(where) + ": term \"" + printable(entry.term, 80) + "\": expected " +
                    std::to_string(entry.document_count) + " postings in " + std::to_string(bytes) + " bytes, found " +
                    found + "; the run is damaged: make it again from its input");
}

const PostingsDecoder::Steps kBestSteps =
    __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
            __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
            __builtin_cpu_supports("popcnt")
        ? PostingsDecoder::Steps::kVectors
        : PostingsDecoder::Steps::kOne;

void decode_whole(const RunEntry& entry, std::string_view where, std::vector<std::uint32_t>& documents,
                  std::vector<std::uint32_t>& frequencies, PostingsDecoder::Steps steps) {
  PostingsDecoder decoder(entry, where, steps);
  if (entry.fragments.empty() && entry.document_count > entry.postings.size())
    fail(where, entry, "too few bytes for them");
  documents.resize(entry.document_count);
  frequencies.resize(entry.document_count);
  std::size_t done = 0;
  while (const std::size_t count =
             decoder.next(documents.data() + done, frequencies.data() + done, entry.document_count - done)) {
    done += count;
  }
}

}  // namespace

PostingsDecoder::Steps PostingsDecoder::best_steps() { return kBestSteps; }

PostingsDecoder::PostingsDecoder(const RunEntry& entry, std::string_view where, Steps steps)
    : entry_(entry), where_(where), steps_(steps), fragments_(entry.fragments), not_begun_(entry.document_count) {
  if (!fragments_.empty()) return;
  whole_ = {entry.postings, {}, entry.document_count, entry.occurrence_count, 0, entry.last_document};
  fragments_ = {&whole_, 1};
}

std::size_t PostingsDecoder::next(std::uint32_t* documents, std::uint32_t* frequencies, std::size_t room) {
  Output out{documents, frequencies, room};
  while (true) {
    if (left_ == 0) {
      if (fragments_.empty()) break;
      begin_fragment();
    }
    if (out.done == room) break;
    decode(out);
    check();
    if (left_ != 0) break;
    end_fragment();
    least_document_ = document_ + 1;
    fragments_ = fragments_.subspan(1);
  }
  if (fragments_.empty() && not_begun_ != 0) fail(where_, entry_, "fewer in its fragments");
  return out.done;
}

void PostingsDecoder::begin_fragment() {
  const ListFragment& fragment = fragments_.front();
  if (fragment.document_count == 0 || fragment.document_count > fragment.postings.size()) {
    fail(where_, entry_, "too few bytes for them");
  }
  if (fragment.document_count > not_begun_) fail(where_, entry_, "more in its fragments");
  not_begun_ -= fragment.document_count;
  begin_ = at_ = fragment.postings.data();
  end_ = begin_ + fragment.postings.size();
  left_ = fragment.document_count;
  is_first_ = true;
  document_ = fragment.base;
  occurrences_ = 0;
}

// Decoded postings must not be used before this check.
void PostingsDecoder::check() const {
  if (wrong_) {
    fail(where_, entry_, "one with a gap of 0, a frequency that has a shorter form, or its end missing");
  }
  if (document_ > fragments_.front().last_document) {
    fail(where_, entry_,
         "document " + std::to_string(document_) + " where its head says that they end at " +
             std::to_string(fragments_.front().last_document));
  }
}

void PostingsDecoder::end_fragment() const {
  const ListFragment& fragment = fragments_.front();
  if (at_ != end_) fail(where_, entry_, std::to_string(end_ - at_) + " bytes after them");
  if (document_ != fragment.last_document || occurrences_ != fragment.occurrence_count) {
    fail(where_, entry_,
         std::to_string(occurrences_) + " occurrences up to document " + std::to_string(document_) +
             " where its head says " + std::to_string(fragment.occurrence_count) + " and " +
             std::to_string(fragment.last_document));
  }
}

// Continues until the fragment is decoded, or until less room is left than a vector step may need.
void PostingsDecoder::decode(Output& out) {
  const std::size_t before = out.done;
  const bool begins = is_first_;
  while (left_ != 0 && out.done != out.room) {
    if (steps_ == Steps::kVectors) {
      decode_batches(out);
    } else if (!is_first_) {
      decode_in_turn(out);
    }
    const std::size_t room = out.room - out.done;
    if (left_ == 0 || room == 0) break;
    if (out.done != 0 && left_ > room && room < kBatchPostings) break;
    if (!step(out)) {
      fail(where_, entry_, "a malformed one, " + std::to_string(left_) + " before the end");
    }
  }
  if (begins && out.done != before && out.documents[before] < least_document_) {
    fail(where_, entry_, "fragments that do not ascend");
  }
}

void PostingsDecoder::put(std::uint64_t gap, std::uint64_t frequency, Output& out) {
  document_ += gap;
  occurrences_ += frequency;
  out.documents[out.done] = static_cast<std::uint32_t>(document_);
  out.frequencies[out.done++] = static_cast<std::uint32_t>(frequency);
  --left_;
  is_first_ = false;
}

// Decodes a posting of any length. Returns false if it is malformed.
bool PostingsDecoder::step(Output& out) {
  std::uint64_t head = 0, frequency = 1;
  if (!read_varint(&at_, end_, &head)) return false;
  if ((head & 1) == 0 && (!read_varint(&at_, end_, &frequency) || frequency < 2)) return false;
  const std::uint64_t gap = head >> 1;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (gap > kMax || frequency > kMax || (gap == 0 && !is_first_)) return false;
  put(gap, frequency, out);
  return true;
}

// Loads the next eight bytes, with zeros after the end.
std::uint64_t PostingsDecoder::load(const std::uint8_t* from) const {
  const std::ptrdiff_t left_bytes = end_ - from;
  if (left_bytes >= 8) return load_le<std::uint64_t>(from);
  if (end_ - begin_ >= 8) return load_le<std::uint64_t>(end_ - 8) >> (64 - 8 * left_bytes);
  std::uint64_t word = 0;
  std::memcpy(&word, from, static_cast<std::size_t>(left_bytes));
  return word;
}

// Decodes postings with a gap below 2^13 and a frequency below 2^7, which take at most three bytes, without branching
// on their length: lists mix lengths, and a mispredicted branch costs more than everything else. Stops at the first
// other posting, which is left to step(). Keeps its state in local variables: members would be stored and reloaded
// around every write to the output.
void PostingsDecoder::decode_in_turn(Output& out) {
  const std::uint8_t* from = at_;
  std::uint32_t* const documents = out.documents + out.done;
  std::uint32_t* const frequencies = out.frequencies + out.done;
  std::uint64_t last = document_, sum = occurrences_, below = 0;
  const std::size_t most = std::min<std::size_t>(left_, out.room - out.done);
  std::size_t done = 0;
  for (; done != most && from < end_; ++done) {
    const std::uint64_t word = load(from);
    const std::uint64_t single = word & 1, two = word >> 7 & 1;
    const std::uint64_t head = (word & 0x7F) | ((word >> 1 & 0x3F80) & (0 - two));
    const std::uint64_t next = word >> (8 + 8 * two) & 0xFF;
    const std::uint64_t frequency = (next & (single - 1)) | single;
    if (((two & word >> 15) | frequency >> 7) != 0) break;
    // The top bit reveals a gap of 0 or a stored frequency below 2.
    below |= (head - 2) | (frequency + single - 2);
    last += head >> 1;
    sum += frequency;
    documents[done] = static_cast<std::uint32_t>(last);
    frequencies[done] = static_cast<std::uint32_t>(frequency);
    from += 2 + two - single;
  }
  wrong_ |= from > end_ || below >> 63 != 0;  // from > end_: the last posting is cut
  at_ = std::min(from, end_);
  left_ -= static_cast<std::uint32_t>(done);
  out.done += done;
  document_ = last;
  occurrences_ = sum;
}

// Decodes postings of up to four bytes, 64 bytes at a time: finds all their starts at once, then decodes 16 postings in
// parallel. Stops at the first longer posting, which is left to step(), and before 64 bytes with more postings than
// there is room for.
SPILLWAY_BATCH_TARGET void PostingsDecoder::decode_batches(Output& out) {
  constexpr std::uint32_t kFold =
      256;  // steps after which the sums of a lane, which add frequencies below 2^21, are folded
  const std::uint8_t *at = at_, *const end = end_;
  std::uint32_t* const first = out.documents + out.done;
  std::size_t left = std::min<std::size_t>(left_, out.room - out.done);
  DecodedBatches decoded{first, out.frequencies + out.done, _mm512_set1_epi32(static_cast<int>(document_)),
                         static_cast<__mmask16>(is_first_ ? 1 : 0)};
  bool cut = document_ >> 32 != 0;
  std::uint32_t batches = 0;
  for (bool too_long = false; at != end && !too_long;) {
    const PostingBatch batch = find_postings(at, end);
    const auto count = static_cast<std::uint32_t>(_mm_popcnt_u64(batch.heads));
    if (count > left) break;
    left -= count;
    cut |= batch.cut;
    too_long = batch.too_long;
    at += batch.taken;
    if (batch.all_bytes) {
      decoded.put_bytes(batch, count);
    } else {
      decoded.put_any(batch, count);
    }
    if (++batches % kFold != 0) continue;
    occurrences_ += sum_epu32(decoded.sums);
    decoded.sums = _mm512_setzero_si512();
  }
  const auto done = static_cast<std::uint32_t>(decoded.documents - first);
  at_ = at;
  out.done += done;
  left_ -= done;
  is_first_ &= done == 0;
  wrong_ |= cut || decoded.wrong != 0;
  document_ = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(decoded.last)));
  occurrences_ += sum_epu32(decoded.sums);
}

void decode_postings(const RunEntry& entry, std::string_view where, std::vector<std::uint32_t>& documents,
                     std::vector<std::uint32_t>& frequencies) {
  decode_whole(entry, where, documents, frequencies, kBestSteps);
}

void decode_postings_portable(const RunEntry& entry, std::string_view where, std::vector<std::uint32_t>& documents,
                              std::vector<std::uint32_t>& frequencies) {
  decode_whole(entry, where, documents, frequencies, PostingsDecoder::Steps::kOne);
}

}  // namespace spillway
