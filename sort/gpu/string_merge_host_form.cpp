#include "sort/gpu/string_merge_host_form.hpp"

#include <algorithm>
#include <utility>

#include "sort/cpu/scratch_pieces.hpp"
#include "sort/cpu/string_items.hpp"
#include "sort/gpu/lcp_merge.hpp"
#include "sort/gpu/packed_host_strings.hpp"
#include "sort/gpu/string_merge_shape.hpp"

namespace spillway {

namespace {

using Records = std::span<MergeRecord>;
using Runs = RunPair<const MergeRecord*, const MergeRecord*>;

// Two neighbouring runs of at most `run` records that begin at `begin`.
Runs runs_at(std::span<const MergeRecord> records, std::size_t begin, std::size_t run) {
  const std::size_t left = records.size() - begin, a_count = std::min(left, run);
  const MergeRecord* const a = records.data() + begin;
  return {a, a + a_count, static_cast<std::uint32_t>(a_count),
          static_cast<std::uint32_t>(std::min(left - a_count, run))};
}

std::uint32_t size(const Runs& runs) { return runs.a_count + runs.b_count; }

// Puts out `merged`, which begins at `diagonal` of the merged sequence.
void merge_own(const MergeContext& context, const Runs& runs, std::uint32_t diagonal, Records merged) {
  MergePoint point = find_merge_point(context, runs, diagonal);
  MergeHeads heads = heads_at(context, runs, point);
  for (MergeRecord& record : merged) record = merge_step(context, runs, point, heads);
}

// As a block does in shared memory: every thread its own part.
void merge_tile(const MergeContext& context, const Runs& runs, Records merged) {
  for (std::uint32_t begin = 0; begin < merged.size(); begin += kMergeEach) {
    merge_own(context, runs, begin, merged.subspan(begin, std::min<std::size_t>(kMergeEach, merged.size() - begin)));
  }
}

// Merges runs of 1, 2, ... up to the tile; the result is in `records`.
void sort_tile(const MergeContext& context, Records records, Records spare) {
  Records from = records, to = spare.first(records.size());
  for (std::size_t run = 1; run < records.size(); run *= 2) {
    for (std::size_t begin = 0; begin < records.size(); begin += 2 * run) {
      const Runs runs = runs_at(from, begin, run);
      merge_tile(context, runs, to.subspan(begin, size(runs)));
    }
    std::swap(from, to);
  }
  if (from.data() != records.data()) std::copy(from.begin(), from.end(), records.begin());
}

// The tile that begins at `diagonal` of two runs as a pair of short runs with heads of its own.
void merge_part(MergeContext context, const Runs& runs, std::uint32_t diagonal, Records merged, Records tile) {
  const MergePoint begin = find_merge_point(context, runs, diagonal);
  const MergePoint end = find_merge_point(context, runs, diagonal + static_cast<std::uint32_t>(merged.size()));
  const MergeHeads heads = heads_at(context, runs, begin);
  const std::uint32_t a_count = end.a - begin.a, b_count = end.b - begin.b;
  std::copy_n(runs.a + begin.a, a_count, tile.begin());
  std::copy_n(runs.b + begin.b, b_count, tile.begin() + a_count);
  if (a_count != 0) tile[0] = heads.a;
  if (b_count != 0) tile[a_count] = heads.b;
  for (const MergeRecord& record : tile.first(merged.size())) {
    context.shared = &record == tile.data() ? record.lcp : std::min(context.shared, record.lcp);
  }
  merge_tile(context, {tile.data(), tile.data() + a_count, a_count, b_count}, merged);
}

void merge_pass(const MergeContext& context, std::size_t run, std::span<const MergeRecord> from, Records to,
                Records tile) {
  for (std::size_t pair = 0; pair < from.size(); pair += 2 * run) {
    const Runs runs = runs_at(from, pair, run);
    for (std::uint32_t diagonal = 0; diagonal < size(runs); diagonal += kMergeTile) {
      const std::size_t count = std::min(kMergeTile, size(runs) - diagonal);
      merge_part(context, runs, diagonal, to.subspan(pair + diagonal, count), tile);
    }
  }
}

std::uint32_t find_root(const DeviceStrings& strings) {
  DeviceString first = string_at(strings, 0);
  for (std::uint32_t i = 1; i < strings.count; ++i) first.bytes = shared_prefix(first, string_at(strings, i), 0);
  return first.bytes;
}

KeySymbols find_symbols(const DeviceStrings& strings) {
  std::uint32_t used[8] = {};
  for (std::size_t i = 0; i < strings.total_bytes; ++i) {
    used[strings.d_bytes[i] / 32] |= 1u << (strings.d_bytes[i] % 32);
  }
  return make_key_symbols(used);
}

}  // namespace

std::size_t StringMergeHostForm::scratch_bytes(std::size_t count) const {
  return 2 * round_to_scratch_alignment(count * sizeof(MergeRecord)) + kMergeTile * sizeof(MergeRecord) +
         round_to_scratch_alignment((count + 1) * sizeof(std::uint64_t)) + kScratchAlignment;
}

void StringMergeHostForm::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                               std::span<std::uint32_t> lcps, std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, lcps);
  if (strings.empty()) return;
  ScratchPieces pieces(scratch);
  Records from = pieces.take<MergeRecord>(strings.size()), to = pieces.take<MergeRecord>(strings.size());
  const Records tile = pieces.take<MergeRecord>(kMergeTile);
  const PackedHostStrings packed(strings, pieces.take<std::uint64_t>(strings.size() + 1));
  const DeviceStrings& all = packed.strings();
  const std::uint32_t root = find_root(all);
  const KeySymbols symbols = find_symbols(all);
  const KeyAlphabet alphabet(symbols.symbol_of, symbols.bits);
  const MergeContext context{all, alphabet, root, root};
  for (std::uint32_t i = 0; i < strings.size(); ++i) from[i] = {load_key(alphabet, string_at(all, i), root), root, i};
  for (std::size_t at = 0; at < from.size(); at += kMergeTile) {
    sort_tile(context, from.subspan(at, std::min<std::size_t>(kMergeTile, from.size() - at)), tile);
  }
  for (std::size_t run = kMergeTile; run < from.size(); run *= 2) {
    merge_pass(context, run, from, to, tile);
    std::swap(from, to);
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    order[i] = from[i].index;
    if (!lcps.empty()) lcps[i] = i == 0 ? 0 : from[i].lcp;
  }
}

}  // namespace spillway
