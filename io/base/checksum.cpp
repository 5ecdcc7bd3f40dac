#include "io/base/checksum.hpp"

#include <nmmintrin.h>

#include <algorithm>
#include <cstring>

#include "io/base/byte_order.hpp"
#include "io/base/hash128_avx2.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // Castagnoli, reflected

using SlicingTables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b] is the register after byte b followed by k zero bytes.
constexpr SlicingTables make_slicing_tables() {
  SlicingTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr SlicingTables kTables = make_slicing_tables();

// Updates the register itself, without the inversions at both ends.
std::uint32_t update_portable(std::uint32_t crc, const std::uint8_t* data, std::size_t size) {
  for (; size >= 8; data += 8, size -= 8) {
    const std::uint64_t word = load_le<std::uint64_t>(data) ^ crc;
    crc = 0;
    for (unsigned i = 0; i < 8; ++i) crc ^= kTables[7 - i][word >> (8 * i) & 0xFF];
  }
  for (; size != 0; ++data, --size) crc = crc >> 8 ^ kTables[0][(crc ^ *data) & 0xFF];
  return crc;
}

// The crc32 instruction has a latency of three cycles and a throughput of one per cycle, so three lanes of kLane bytes
// run side by side. A table then advances a lane's register over the bytes of the lanes after it: the register after n
// zero bytes is linear in the register.
constexpr std::size_t kLane = 1024;
// Prefetches each cache line three lanes ahead: blocks are rarely in a cache before they are checked.
constexpr std::size_t kLineBytes = 64;

class LaneShift {
 public:
  LaneShift() {
    const std::array<std::uint8_t, kLane> zeros{};
    std::array<std::uint32_t, 32> image{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
      image[bit] = update_portable(std::uint32_t{1} << bit, zeros.data(), zeros.size());
    }
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t byte = 0; byte < 256; ++byte) {
        for (std::size_t bit = 0; bit < 8; ++bit) {
          if ((byte >> bit & 1) != 0) tables_[k][byte] ^= image[8 * k + bit];
        }
      }
    }
  }
  std::uint32_t operator()(std::uint32_t crc) const {
    return tables_[0][crc & 0xFF] ^ tables_[1][crc >> 8 & 0xFF] ^ tables_[2][crc >> 16 & 0xFF] ^ tables_[3][crc >> 24];
  }

 private:
  std::array<std::array<std::uint32_t, 256>, 4> tables_{};
};

__attribute__((target("sse4.2"))) std::uint32_t update_sse42(std::uint32_t crc, const std::uint8_t* data,
                                                             std::size_t size) {
  static const LaneShift shift;
  for (; size >= 3 * kLane; data += 3 * kLane, size -= 3 * kLane) {
    std::uint64_t a = crc, b = 0, c = 0;
    for (std::size_t line = 0; line < kLane; line += kLineBytes) {
      for (std::size_t lane = 3; lane < 6; ++lane) __builtin_prefetch(data + lane * kLane + line);
      for (std::size_t i = line; i < line + kLineBytes; i += 8) {
        a = _mm_crc32_u64(a, load_le<std::uint64_t>(data + i));
        b = _mm_crc32_u64(b, load_le<std::uint64_t>(data + kLane + i));
        c = _mm_crc32_u64(c, load_le<std::uint64_t>(data + 2 * kLane + i));
      }
    }
    crc = shift(shift(static_cast<std::uint32_t>(a)) ^ static_cast<std::uint32_t>(b)) ^ static_cast<std::uint32_t>(c);
  }
  std::uint64_t wide = crc;
  for (; size >= 8; data += 8, size -= 8) wide = _mm_crc32_u64(wide, load_le<std::uint64_t>(data));
  crc = static_cast<std::uint32_t>(wide);
  for (; size != 0; ++data, --size) crc = _mm_crc32_u8(crc, *data);
  return crc;
}

// Registers are polynomials over GF(2) modulo kPolynomial; the highest bit is the coefficient of x^0.
constexpr std::uint32_t kOne = std::uint32_t{1} << 31;

constexpr std::uint32_t times(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = b >> 1 ^ ((b & 1) != 0 ? kPolynomial : 0);
  }
  return product;
}

// powers[k] is x to the power of 8 * 2^k: each power is the square of the one before it.
constexpr std::array<std::uint32_t, 64> make_byte_powers() {
  std::array<std::uint32_t, 64> powers{};
  powers[0] = kOne >> 8;
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = times(powers[k - 1], powers[k - 1]);
  return powers;
}

constexpr auto kBytePowers = make_byte_powers();

Hash128 canonical(XXH128_hash_t hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  Hash128 result;
  std::copy(std::begin(bytes.digest), std::end(bytes.digest), result.begin());
  return result;
}

constexpr char kHexDigits[] = "0123456789abcdef";

}  // namespace

std::uint32_t crc32c_portable(std::uint32_t crc, std::span<const std::uint8_t> bytes) {
  return ~update_portable(~crc, bytes.data(), bytes.size());
}

std::uint32_t crc32c(std::uint32_t crc, std::span<const std::uint8_t> bytes) {
  static const bool has_sse42 = __builtin_cpu_supports("sse4.2");
  if (has_sse42) return ~update_sse42(~crc, bytes.data(), bytes.size());
  return crc32c_portable(crc, bytes);
}

// The CRC is linear in the initial register and in the bytes, so advancing `crc` by `behind_bytes` zero bytes and
// adding `behind` gives the CRC of both.
std::uint32_t crc32c_join(std::uint32_t crc, std::uint32_t behind, std::uint64_t behind_bytes) {
  for (std::size_t k = 0; behind_bytes != 0; ++k, behind_bytes >>= 1) {
    if ((behind_bytes & 1) != 0) crc = times(crc, kBytePowers[k]);
  }
  return crc ^ behind;
}

Hash128 hash128(std::span<const std::uint8_t> bytes) { return canonical(XXH3_128bits(bytes.data(), bytes.size())); }

std::string to_hex(const Hash128& hash) {
  std::string result;
  for (const std::uint8_t byte : hash) {
    result += kHexDigits[byte >> 4];
    result += kHexDigits[byte & 15];
  }
  return result;
}

std::string to_hex(std::uint32_t value) {
  std::string result = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) result += kHexDigits[value >> shift & 15];
  return result;
}

struct StreamingHash128::State {
  XXH3_state_t xxh;
};

StreamingHash128::StreamingHash128() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }

StreamingHash128::~StreamingHash128() = default;

void StreamingHash128::update(std::span<const std::uint8_t> bytes) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return update_hash128_avx2(&state_->xxh, bytes);
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

Hash128 StreamingHash128::digest() const { return canonical(XXH3_128bits_digest(&state_->xxh)); }

}  // namespace spillway
