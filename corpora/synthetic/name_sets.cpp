#include "corpora/synthetic/name_sets.hpp"

#include "corpora/synthetic/string_writing.hpp"
#include "corpora/synthetic/zipf_words.hpp"

namespace spillway {

namespace {

char* put_word(SplitMix& random, std::uint64_t vocabulary, char* out) {
  return write_word(random.below(vocabulary), out);
}

// Page addresses by popularity: an address depends on the rank of its page alone.
class Urls final : public StringSet {
 public:
  explicit Urls(std::uint64_t seed)
      : seed_(seed), pages_(kPages, to_fixed(0.9), to_fixed(20)), hosts_(kHosts, to_fixed(1), to_fixed(5)) {}
  std::size_t max_bytes() const override { return 256; }
  char* write(std::uint64_t index, char* out) const override {
    SplitMix of_visit = random_of(seed_, index);
    const std::uint64_t page = pages_.sample_rank(of_visit);
    SplitMix random = random_of(seed_ + 1, page);
    out = put_host(hosts_.sample_rank(random), out);
    for (std::uint64_t parts = random.below(3); parts-- > 0;) {
      out = put_word(random, 2000, out);
      *out++ = '/';
    }
    if (page % kLongShare == kLongShare - 1) out = put_query(random, out);
    if (random.below(3) != 0) out = put(".html", put_word(random, 12'000, out));
    return out;
  }

 private:
  static char* put_host(std::uint64_t host, char* out) {
    SplitMix random(host);
    out = put("http://", out);
    if (random.below(2) == 0) out = put("www.", out);
    out = write_word(host + 50, out);
    return put(one_of(std::array<std::string_view, 5>{".com/", ".org/", ".edu/", ".net/", ".com/"}, random), out);
  }
  static char* put_query(SplitMix& random, char* out) {
    out = put("cgi-bin/find?", out);
    for (std::uint64_t parts = 4 + random.below(10); parts-- > 0;) {
      *out++ = '&';
      out = put_word(random, 2000, out);
      *out++ = '=';
      out = put_word(random, 125'000, out);
    }
    return out;
  }

  static constexpr std::uint64_t kPages = 1'300'000, kHosts = 60'000, kLongShare = 1000;
  std::uint64_t seed_;
  ZipfWords pages_, hosts_;
};

// Files of five machines. A directory has kFiles consecutive files. Its path depends on its number, and neighbours
// share path components.
class FileList final : public StringSet {
 public:
  explicit FileList(std::uint64_t seed) : seed_(seed) {}
  std::size_t max_bytes() const override { return 256; }
  char* write(std::uint64_t index, char* out) const override {
    out = put("node", out);
    *out++ = static_cast<char>('1' + index % kMachines);
    const std::uint64_t file = index / kMachines, directory = file / kFiles;
    for (unsigned level = kLevels; level-- > 0;) {
      SplitMix random = random_of(seed_ + level, directory >> (kLevelBits * level));
      *out++ = '/';
      out = put_directory(level, random, out);
    }
    *out++ = '/';
    return put_file(file, out);
  }

 private:
  static char* put_directory(unsigned level, SplitMix& random, char* out) {
    if (level == kLevels - 1) return put(one_of(kRoots, random), out);
    out = put_word(random, 100'000, out);
    for (std::uint64_t more = random.below(2); more-- > 0;) {
      *out++ = "-_."[random.below(3)];
      out = put_word(random, 2000, out);
    }
    if (random.below(kLongShare) == 0) {
      for (int i = 0; i < 17; ++i) out = write_word(2600 + random.below(100'000), out);
    }
    return out;
  }
  // Groups of files begin alike: lib-tool-03.h, lib-tool-04.h.
  char* put_file(std::uint64_t file, char* out) const {
    SplitMix of_group = random_of(seed_ + kLevels, file / kGroup), random = random_of(seed_ + kLevels + 1, file);
    out = put_word(of_group, 125'000, out);
    *out++ = '-';
    out = put_word(of_group, 2500, out);
    *out++ = static_cast<char>('0' + file % kGroup);
    out = put_word(random, 2000, out);
    return put(one_of(kEndings, random), out);
  }

  static constexpr std::uint64_t kMachines = 5, kFiles = 24, kGroup = 4, kLongShare = 2000;
  static constexpr unsigned kLevels = 5, kLevelBits = 3;
  static constexpr std::array<std::string_view, 6> kRoots{"usr/share", "usr/lib", "usr/src", "home", "var/lib", "opt"};
  static constexpr std::array<std::string_view, 6> kEndings{".h", ".c", ".so", ".html", ".gz", ".txt"};
  std::uint64_t seed_;
};

// Class, number, author and year of a series, and the number of the volume.
class CallNumbers final : public StringSet {
 public:
  explicit CallNumbers(std::uint64_t seed) : seed_(seed) {}
  std::size_t max_bytes() const override { return 64; }
  char* write(std::uint64_t index, char* out) const override {
    const std::uint64_t series = index / kVolumes;
    SplitMix of_series = random_of(seed_, series), random = random_of(seed_ + 1, index);
    *out++ = "QTHPBZDSLK"[of_series.below(10)];
    *out++ = "ABCDEGPRTV"[of_series.below(10)];
    out = put_number(1 + of_series.below(2000), out);
    *out++ = '.';
    *out++ = static_cast<char>('A' + of_series.below(26));
    out = put_number(10 + of_series.below(990), out);
    *out++ = ' ';
    *out++ = static_cast<char>('A' + of_series.below(26));
    if (series % kLongShare == kLongShare - 1) out = put(" proceedings (new", out);
    out = put(" v.", out);
    out = put_number(1 + index % kVolumes, out);
    *out++ = ' ';
    return put_number(1900 + random.below(100), out);
  }

 private:
  static constexpr std::uint64_t kVolumes = 25, kLongShare = 400;
  std::uint64_t seed_;
};

}  // namespace

MadeStringSet make_url_set(std::uint64_t seed) { return std::make_unique<Urls>(seed); }
MadeStringSet make_pc_filelist_set(std::uint64_t seed) { return std::make_unique<FileList>(seed); }
MadeStringSet make_dictcalls_set(std::uint64_t seed) { return std::make_unique<CallNumbers>(seed); }

}  // namespace spillway
