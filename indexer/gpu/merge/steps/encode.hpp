// The steps that encode the kept postings of a batch in the index's format (docs/formats.md), as ListEncoder and
// PositionEncoder do on the CPU. A *unit* is a block of up to 128 postings of a list; a *position unit* is one of its
// distances. Steps measure all units, sums give their places, and steps write them. A warp takes a unit of postings; of
// distances a thread measures a unit, and five write it: one for each of the four lanes that a packed block has, and
// one for the unary part. O(postings) and O(occurrences), and O(log lists) a unit.
#pragma once

#include "indexer/gpu/merge/steps/batch.hpp"
#include "indexer/gpu/merge/steps/keep.hpp"
#include "indexer/gpu/steps/fold.hpp"
#include "indexer/gpu/steps/lanes.hpp"
#include "io/format/index.hpp"
#include "io/postings/distance_coding.hpp"
#include "io/postings/rounded_codes.hpp"

namespace spillway {

// Counts the units of a list, or of all lists before one.
struct ListUnits {
  std::uint32_t units = 0, bounds = 0, position_units = 0, places = 0;
};
struct AddListUnits {
  SPILLWAY_HOST_DEVICE ListUnits operator()(const ListUnits& a, const ListUnits& b) const {
    return {a.units + b.units, a.bounds + b.bounds, a.position_units + b.position_units, a.places + b.places};
  }
};

// A stretch of a list: kept postings, or occurrences.
struct BatchUnit {
  std::uint32_t list, number;  // number: in the list
  std::uint32_t first, count;  // of the unit
  std::uint32_t list_count;    // of the whole list
  SPILLWAY_HOST_DEVICE bool is_full() const { return count == kPostingsBlock; }
};

// The kept lists of a batch.
struct KeptBatch {
  static constexpr std::uint32_t kUnit = kPostingsBlock;
  static_assert(kPostingsBlock == kDistanceBlock);

  BatchView batch;
  KeptPostings postings;
  const std::uint32_t* places;            // of raw postings among the kept ones
  const std::uint32_t* kept_occurrences;  // before each raw posting
  const std::uint32_t* distances;         // null without positions
  const ListUnits* units;                 // exclusive sums by list; one more has the totals

  SPILLWAY_HOST_DEVICE std::uint32_t first(std::uint32_t list) const { return places[batch.first_posting(list)]; }
  SPILLWAY_HOST_DEVICE std::uint32_t first_occurrence(std::uint32_t list) const {
    return kept_occurrences[batch.first_posting(list)];
  }
  SPILLWAY_HOST_DEVICE std::uint32_t count(std::uint32_t list) const { return first(list + 1) - first(list); }
  SPILLWAY_HOST_DEVICE std::uint32_t occurrence_count(std::uint32_t list) const {
    return first_occurrence(list + 1) - first_occurrence(list);
  }
  SPILLWAY_HOST_DEVICE const ListUnits& totals() const { return units[batch.size.lists]; }

  // Unit u of all. Requires: u < totals().units.
  template <typename Lanes>
  SPILLWAY_HOST_DEVICE BatchUnit unit(std::uint32_t u, const Lanes& lanes) const {
    const ListUnits* const all = units;
    const std::uint32_t list =
        last_not_above(lanes, batch.size.lists, u, [all](std::uint32_t l) { return all[l].units; });
    return make_unit(list, u - units[list].units, first(list), count(list));
  }
  // The same for distances.
  SPILLWAY_HOST_DEVICE BatchUnit position_unit(std::uint32_t u) const {
    const std::uint32_t list =
        last_not_above(batch.size.lists, u, [&](std::uint32_t l) { return units[l].position_units; });
    return make_unit(list, u - units[list].position_units, first_occurrence(list), occurrence_count(list));
  }

 private:
  SPILLWAY_HOST_DEVICE static BatchUnit make_unit(std::uint32_t list, std::uint32_t number, std::uint32_t list_first,
                                                  std::uint32_t list_count) {
    const std::uint32_t left = list_count - number * kUnit;
    return {list, number, list_first + number * kUnit, left < kUnit ? left : kUnit, list_count};
  }
};

// sums[list], and zeros after the last list.
struct CountUnits {
  KeptBatch kept;
  ListUnits* sums;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto list = static_cast<std::uint32_t>(i);
    ListUnits units;
    if (list < kept.batch.size.lists) {
      const std::uint32_t count = kept.count(list), occurrences = kept.occurrence_count(list);
      const bool has_bounds = count > KeptBatch::kUnit;
      units.units = units_of(count);
      units.bounds = has_bounds ? units.units : 0;
      if (kept.distances != nullptr) {
        units.position_units = units_of(occurrences);
        units.places = has_bounds ? units.units : 0;
      }
    }
    sums[list] = units;
  }
  SPILLWAY_HOST_DEVICE static std::uint32_t units_of(std::uint32_t count) {
    return count / KeptBatch::kUnit + (count % KeptBatch::kUnit != 0 ? 1 : 0);
  }
};

SPILLWAY_HOST_DEVICE inline unsigned bits_of(std::uint32_t value) {
  return value == 0 ? 0 : rounded_codes::highest_bit(value) + 1;
}

SPILLWAY_HOST_DEVICE inline void store_bytes(std::uint8_t* to, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(value >> 8 * i);
}

// Writes lane `lane` of a block of 128 values of `width` bits (io/postings/bit_packing.hpp); get(i) is value i.
template <typename Get>
SPILLWAY_HOST_DEVICE inline void pack_lane(unsigned lane, unsigned width, std::uint8_t* to, const Get& get) {
  std::uint64_t pending = 0;
  unsigned bits = 0;
  to += std::size_t{4} * lane;
  for (unsigned row = 0; row < KeptBatch::kUnit / 4; ++row) {
    pending |= std::uint64_t{get(4 * row + lane)} << bits;
    bits += width;
    if (bits < 32) continue;
    store_bytes(to, pending, 4);
    pending >>= 32;
    bits -= 32;
    to += 16;
  }
}

// The widths of a full unit.
struct UnitShape {
  std::uint8_t document_bits = 0, frequency_bits = 0;
};

// The values of a unit of postings, as they are stored.
struct UnitValues {
  const KeptBatch& kept;
  BatchUnit unit;
  std::uint32_t next;  // the last document before it + 1

  SPILLWAY_HOST_DEVICE UnitValues(const KeptBatch& of, const BatchUnit& here)
      : kept(of), unit(here), next(here.number == 0 ? 0 : of.postings.documents[here.first - 1] + 1) {}
  SPILLWAY_HOST_DEVICE std::uint32_t gap(std::uint32_t i) const {
    const std::uint32_t document = kept.postings.documents[unit.first + i];
    return document - (i == 0 ? next : kept.postings.documents[unit.first + i - 1] + 1);
  }
  SPILLWAY_HOST_DEVICE std::uint32_t frequency(std::uint32_t i) const {
    return kept.postings.frequencies[unit.first + i];
  }
  // Whether the frequencies of the list are not stored.
  SPILLWAY_HOST_DEVICE bool leaves_out_frequencies() const {
    return unit.list_count == 1 || kept.occurrence_count(unit.list) == unit.list_count;
  }
  // A list of exactly one block has no bounds; its widths precede the block.
  SPILLWAY_HOST_DEVICE bool is_single_block() const { return unit.list_count == KeptBatch::kUnit; }
};

struct MeasureUnits {
  KeptBatch kept;
  const std::uint8_t* length_codes;
  UnitShape* shapes;
  std::uint32_t* bytes;
  std::uint8_t* bounds;
  template <typename Lanes>
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i, const Lanes& lanes) const {
    const auto u = static_cast<std::uint32_t>(i);
    if (u >= kept.totals().units) {
      if (lanes.lane() == 0) bytes[u] = 0;
      return;
    }
    const UnitValues values(kept, kept.unit(u, lanes));
    const BatchUnit& unit = values.unit;
    std::uint32_t gaps = 0, rests = 0, most = 0, tail_bytes = 0, least = 0xFF;
    const bool leaves_out = values.leaves_out_frequencies();
    for (std::uint32_t p = lanes.lane(); p < unit.count; p += Lanes::kCount) {
      const std::uint32_t gap = values.gap(p), frequency = values.frequency(p);
      const std::uint32_t code = length_codes[kept.postings.documents[unit.first + p]];
      gaps |= gap;
      rests |= frequency - 1;
      most = most < frequency ? frequency : most;
      least = code < least ? code : least;
      if (unit.is_full()) continue;
      tail_bytes += leaves_out ? varint_size(gap) : varint_size(std::uint64_t{gap} << 1);
      tail_bytes += leaves_out || frequency == 1 ? 0 : varint_size(frequency);
    }
    gaps = lanes.bits(gaps);
    rests = lanes.bits(rests);
    most = lanes.most(most);
    least = lanes.least(least);
    tail_bytes = lanes.sum(tail_bytes);
    if (lanes.lane() != 0) return;
    UnitShape shape;
    if (unit.is_full()) shape = {static_cast<std::uint8_t>(bits_of(gaps)), static_cast<std::uint8_t>(bits_of(rests))};
    shapes[u] = shape;
    const unsigned widths = unsigned{shape.document_bits} + shape.frequency_bits;
    bytes[u] = unit.is_full() ? 16 * widths + (values.is_single_block() ? 2 : 0) : tail_bytes;
    if (unit.list_count > KeptBatch::kUnit) write_bound(unit, shape, most, static_cast<std::uint8_t>(least));
  }

 private:
  SPILLWAY_HOST_DEVICE void write_bound(const BatchUnit& unit, const UnitShape& shape, std::uint32_t most,
                                        std::uint8_t least) const {
    std::uint8_t* const to = bounds + kBoundEntryBytes * (std::size_t{kept.units[unit.list].bounds} + unit.number);
    store_bytes(to, kept.postings.documents[unit.first + unit.count - 1], 4);
    to[4] = shape.document_bits;
    to[5] = shape.frequency_bits;
    to[6] = frequency_code(most);
    to[7] = least;
  }
};

inline constexpr unsigned kBlockLanes = 4;

// Writes a block of 128 values of `width` bits, as pack_lane() writes its lanes: lanes take its words of 32 bits in
// turn.
template <typename Lanes, typename Get>
SPILLWAY_HOST_DEVICE inline void pack_block(const Lanes& lanes, unsigned width, std::uint8_t* to, const Get& get) {
  for (unsigned w = lanes.lane(); w < kBlockLanes * width; w += Lanes::kCount) {
    const unsigned begin = w / kBlockLanes * 32;  // in the bits of the block's lane
    std::uint32_t word = 0;
    for (unsigned row = begin / width, at = row * width; at < begin + 32; ++row, at += width) {
      const std::uint32_t value = get(kBlockLanes * row + w % kBlockLanes);
      word |= at < begin ? value >> (begin - at) : value << (at - begin);
    }
    store_bytes(to + std::size_t{4} * w, word, 4);
  }
}

// Lanes write a unit together.
struct WriteUnits {
  KeptBatch kept;
  const UnitShape* shapes;
  const std::uint32_t* places;  // exclusive sums of their bytes
  std::uint8_t* bytes;
  template <typename Lanes>
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i, const Lanes& lanes) const {
    const auto u = static_cast<std::uint32_t>(i);
    if (u >= kept.totals().units) return;
    const UnitValues values(kept, kept.unit(u, lanes));
    std::uint8_t* to = bytes + places[u];
    if (!values.unit.is_full()) {
      if (lanes.lane() == 0) write_tail(values, to);
      return;
    }
    const UnitShape shape = shapes[u];
    if (values.is_single_block()) {
      if (lanes.lane() == 0) {
        to[0] = shape.document_bits;
        to[1] = shape.frequency_bits;
      }
      to += 2;
    }
    pack_block(lanes, shape.document_bits, to, [&](std::uint32_t p) { return values.gap(p); });
    to += 16 * std::size_t{shape.document_bits};
    pack_block(lanes, shape.frequency_bits, to, [&](std::uint32_t p) { return values.frequency(p) - 1; });
  }

 private:
  SPILLWAY_HOST_DEVICE static void write_tail(const UnitValues& values, std::uint8_t* to) {
    const bool leaves_out = values.leaves_out_frequencies();
    for (std::uint32_t p = 0; p < values.unit.count; ++p) {
      const std::uint32_t gap = values.gap(p), frequency = values.frequency(p);
      if (leaves_out) {
        to = put_varint(to, gap);
        continue;
      }
      to = put_varint(to, std::uint64_t{gap} << 1 | (frequency == 1 ? 1 : 0));
      if (frequency != 1) to = put_varint(to, frequency);
    }
  }
};

// The least width for which the high parts of 128 distances add up to at most 256 bits in steps of two, which takes the
// fewest bits (io/postings/distance_coding.cpp).
SPILLWAY_HOST_DEVICE inline unsigned distance_width(const std::uint32_t* values) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kDistanceBlock; ++i) sum += values[i];
  const auto gain = [&](unsigned width) {
    std::uint64_t saved = 0;
    for (std::uint32_t i = 0; i < kDistanceBlock; ++i) saved += (std::uint64_t{values[i] >> width} + 1) >> 1;
    return saved;
  };
  const std::uint64_t mean = sum / kDistanceBlock;
  unsigned width = mean == 0 ? 0 : bits_of(static_cast<std::uint32_t>(mean)) - 1;
  while (width != 0 && gain(width - 1) <= kDistanceBlock) --width;
  while (gain(width) > kDistanceBlock) ++width;
  return width;
}

struct MeasurePositionUnits {
  KeptBatch kept;
  std::uint8_t* widths;
  std::uint32_t* bytes;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto u = static_cast<std::uint32_t>(i);
    bytes[u] = 0;
    if (u >= kept.totals().position_units) return;
    const BatchUnit unit = kept.position_unit(u);
    const std::uint32_t* const values = kept.distances + unit.first;
    if (!unit.is_full()) {
      for (std::uint32_t d = 0; d < unit.count; ++d) bytes[u] += varint_size(values[d]);
      return;
    }
    const unsigned width = distance_width(values);
    std::uint32_t unary_bits = kDistanceBlock;
    for (std::uint32_t d = 0; d < kDistanceBlock; ++d) unary_bits += values[d] >> width;
    widths[u] = static_cast<std::uint8_t>(width);
    bytes[u] = static_cast<std::uint32_t>(kDistanceHeadBytes) + 16 * width + (unary_bits + 7) / 8;
  }
};

// Where the bytes of positions stand: those of a list's units, then its places.
struct PositionPlaces {
  const std::uint32_t* units;  // exclusive sums of the units' bytes
  std::uint8_t* bytes;
  SPILLWAY_HOST_DEVICE std::uint8_t* unit(const KeptBatch& kept, std::uint32_t list, std::uint32_t u) const {
    return bytes + units[u] + kPositionPlaceBytes * std::size_t{kept.units[list].places};
  }
};

inline constexpr unsigned kPositionParts = kBlockLanes + 1;  // the lanes, and the unary part

// Element kPositionParts * u + part.
struct WritePositionUnits {
  KeptBatch kept;
  const std::uint8_t* widths;
  PositionPlaces places;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto u = static_cast<std::uint32_t>(i / kPositionParts);
    const auto part = static_cast<unsigned>(i % kPositionParts);
    if (u >= kept.totals().position_units) return;
    const BatchUnit unit = kept.position_unit(u);
    const std::uint32_t* const values = kept.distances + unit.first;
    std::uint8_t* to = places.unit(kept, unit.list, u);
    if (!unit.is_full()) {
      for (std::uint32_t d = 0; part == 0 && d < unit.count; ++d) to = put_varint(to, values[d]);
      return;
    }
    const unsigned width = widths[u];
    if (part < kBlockLanes) {
      const std::uint32_t mask = (std::uint32_t{1} << width) - 1;
      pack_lane(part, width, to + kDistanceHeadBytes, [&](std::uint32_t d) { return values[d] & mask; });
      return;
    }
    std::uint8_t* const unary = to + kDistanceHeadBytes + 16 * std::size_t{width};
    to[0] = static_cast<std::uint8_t>(width);
    to[1] = static_cast<std::uint8_t>(write_unary(values, width, unary) - unary);
  }

 private:
  // Value i ends at the i-th set bit.
  SPILLWAY_HOST_DEVICE static std::uint8_t* write_unary(const std::uint32_t* values, unsigned width, std::uint8_t* to) {
    unsigned pending = 0, bits = 0;
    for (std::uint32_t d = 0; d < kDistanceBlock; ++d) {
      for (bits += values[d] >> width; bits >= 8; bits -= 8) {
        *to++ = static_cast<std::uint8_t>(pending);
        pending = 0;
      }
      pending |= 1U << bits++;
    }
    for (; bits > 8; bits -= 8, pending >>= 8) *to++ = static_cast<std::uint8_t>(pending);
    *to++ = static_cast<std::uint8_t>(pending);
    return to;
  }
};

// For each unit of postings but the first of a list, where its positions begin; and at last where the tail does.
struct WritePlaces {
  KeptBatch kept;
  PositionPlaces places;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto u = static_cast<std::uint32_t>(i);
    if (u >= kept.totals().units) return;
    const BatchUnit unit = kept.unit(u, OneLane());
    if (unit.list_count <= KeptBatch::kUnit) return;
    const std::uint32_t first_unit = kept.units[unit.list].position_units;
    const std::uint32_t after = kept.units[unit.list + 1].position_units;
    const auto bytes_before = [&](std::uint32_t block) {
      return std::uint64_t{places.units[first_unit + block]} - places.units[first_unit];
    };
    std::uint8_t* const table = places.unit(kept, unit.list, after);
    if (unit.number != 0) {
      const std::uint32_t occurrence = kept.postings.occurrences[unit.first] - kept.first_occurrence(unit.list);
      const std::uint32_t block = occurrence / KeptBatch::kUnit;
      store_bytes(table + kPositionPlaceBytes * std::size_t{unit.number - 1},
                  bytes_before(block) * KeptBatch::kUnit + occurrence % KeptBatch::kUnit, 8);
    }
    if (unit.number == (unit.list_count - 1) / KeptBatch::kUnit) {
      const std::uint32_t blocks = kept.occurrence_count(unit.list) / KeptBatch::kUnit;
      store_bytes(table + kPositionPlaceBytes * std::size_t{unit.number}, bytes_before(blocks), 8);
    }
  }
};

struct CollectLists {
  KeptBatch kept;
  const std::uint32_t* places;           // exclusive sums of the bytes of units
  const std::uint32_t* position_places;  // the same of position units; null without positions
  MergedList* lists;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto list = static_cast<std::uint32_t>(i);
    const ListUnits &begin = kept.units[list], &end = kept.units[list + 1];
    MergedList merged;
    merged.document_count = kept.count(list);
    merged.occurrence_count = kept.occurrence_count(list);
    merged.posting_bytes = places[end.units] - places[begin.units];
    merged.bound_bytes = static_cast<std::uint32_t>(kBoundEntryBytes) * (end.bounds - begin.bounds);
    if (position_places != nullptr) {
      merged.position_bytes = std::uint64_t{position_places[end.position_units]} -
                              position_places[begin.position_units] +
                              kPositionPlaceBytes * std::uint64_t{end.places - begin.places};
    }
    lists[list] = merged;
  }
};

// What the host needs to know of a merged batch.
struct BatchEnds {
  BatchTotals totals;
  std::uint64_t position_bytes = 0;
  std::uint32_t posting_bytes = 0, bound_bytes = 0, wrong = 0, unused = 0;
};

struct CollectEnds {
  KeptBatch kept;
  const std::uint32_t* places;
  const std::uint32_t* position_places;
  const BatchTotals* totals;
  BatchEnds* ends;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t) const {
    BatchEnds found;
    found.totals = *totals;
    found.wrong = *kept.batch.wrong;
    found.posting_bytes = places[kept.totals().units];
    found.bound_bytes = static_cast<std::uint32_t>(kBoundEntryBytes) * kept.totals().bounds;
    if (position_places != nullptr) {
      found.position_bytes = std::uint64_t{position_places[kept.totals().position_units]} +
                             kPositionPlaceBytes * std::uint64_t{kept.totals().places};
    }
    *ends = found;
  }
};

}  // namespace spillway
