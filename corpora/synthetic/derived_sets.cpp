#include "corpora/synthetic/derived_sets.hpp"

#include <algorithm>
#include <utility>

#include "corpora/synthetic/string_writing.hpp"

namespace spillway {

namespace {

class PrintableOfOneLength final : public StringSet {
 public:
  PrintableOfOneLength(std::size_t bytes, std::uint64_t seed) : bytes_(bytes), seed_(seed) {}
  std::size_t max_bytes() const override { return bytes_; }
  char* write(std::uint64_t index, char* out) const override {
    SplitMix random = random_of(seed_, index);
    return std::generate_n(out, bytes_, [&] { return static_cast<char>('!' + random.below('~' - '!' + 1)); });
  }

 private:
  std::size_t bytes_;
  std::uint64_t seed_;
};

class EveryKthByte final : public StringSet {
 public:
  EveryKthByte(MadeStringSet set, std::size_t k) : set_(std::move(set)), k_(k) {}
  std::size_t max_bytes() const override { return set_->max_bytes(); }  // the whole string stands there first
  char* write(std::uint64_t index, char* out) const override {
    const auto bytes = static_cast<std::size_t>(set_->write(index, out) - out);
    const std::size_t kept = (bytes + k_ - 1) / k_;
    for (std::size_t i = 1; i < kept; ++i) out[i] = out[i * k_];
    return out + kept;
  }

 private:
  MadeStringSet set_;
  std::size_t k_;
};

class RepeatedBytes final : public StringSet {
 public:
  RepeatedBytes(MadeStringSet set, std::size_t k) : set_(std::move(set)), k_(k) {}
  std::size_t max_bytes() const override { return set_->max_bytes() * k_; }
  char* write(std::uint64_t index, char* out) const override {
    const auto bytes = static_cast<std::size_t>(set_->write(index, out) - out);
    for (std::size_t i = bytes; i-- > 0;)
      std::fill_n(out + i * k_, k_, out[i]);  // from the end: reads before it writes
    return out + bytes * k_;
  }

 private:
  MadeStringSet set_;
  std::size_t k_;
};

}  // namespace

MadeStringSet make_printable_set(std::size_t bytes, std::uint64_t seed) {
  return std::make_unique<PrintableOfOneLength>(bytes, seed);
}
MadeStringSet make_every_kth_byte(MadeStringSet set, std::size_t k) {
  return std::make_unique<EveryKthByte>(std::move(set), k);
}
MadeStringSet make_repeated_bytes(MadeStringSet set, std::size_t k) {
  return std::make_unique<RepeatedBytes>(std::move(set), k);
}

}  // namespace spillway
