// Writes the seeds of binary formats: fuzz_seeds DIRECTORY makes DIRECTORY/index, run, manifest, gzip, zstd,
// tar and zip. Seeds of texts are written by hand.
#include <filesystem>
#include <stdexcept>

#include "io/file/memory_file.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/records/warc_samples.hpp"
#include "tests/corpora/tar/tar_files.hpp"
#include "tests/corpora/unpack/zip_files.hpp"
#include "tests/fuzz/support/index_archive.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_forger.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/sample_run.hpp"
#include "tests/support/scratch_directory.hpp"

using namespace spillway;
using namespace spillway::testing;

namespace {

class Seeds {
 public:
  explicit Seeds(std::string directory) : directory_(std::move(directory)) {}
  void write(const std::string& target, const std::string& name, char options, const std::string& bytes) const {
    std::filesystem::create_directories(directory_ + "/" + target);
    write_bytes(directory_ + "/" + target + "/" + name, options + bytes);
  }

 private:
  std::string directory_;
};

SampleIndex small_index(StorePolicy store, bool has_positions) {
  SampleIndex sample = make_sample(20, 12, 7);
  sample.options.store = store;
  sample.options.positions = has_positions;
  sample.lists["every"].clear();
  for (std::uint32_t d = 0; d < 20; ++d) sample.lists["every"].emplace_back(d, 1 + d % 3);
  return sample;
}

// Lists of full blocks with bounds and a tail, over many documents without fields.
SampleIndex index_of_blocks(bool has_positions) {
  SampleIndex sample;
  sample.options.positions = has_positions;
  sample.documents.resize(300);
  for (std::uint32_t d = 0; d < 300; ++d) {
    sample.lists["all"].emplace_back(d, 1 + d % 2);
    if (d < 128) sample.lists["block"].emplace_back(2 * d, 1);
    if (d % 7 == 0) sample.lists["some"].emplace_back(d, 1);
  }
  return sample;
}

// A term table with inner nodes.
SampleIndex index_of_terms() {
  SampleIndex sample;
  sample.documents.resize(3);
  for (std::uint32_t i = 0; i < 700; ++i) sample.lists["t" + std::to_string(i * i)] = {{i % 3, 1}};
  return sample;
}

void write_index(const Seeds& seeds, const std::string& name, SampleIndex sample) {
  const ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "index", sample);
  const std::string archive = fuzz::archive_of(scratch / "index");
  seeds.write("index", name, 0, archive);
  const std::string manifest = read_bytes(scratch / "index/manifest");
  seeds.write("manifest", name, 1, manifest);
  seeds.write("manifest", name + "-unsealed", 2, manifest.substr(0, manifest.size() - sizeof(Hash128)));
  seeds.write("manifest", name + "-options", 0, sample.options.serialize());
}

void write_run(const Seeds& seeds, const std::string& name, SampleWriting writing, const SampleRunOptions& options) {
  SampleRun run = make_sample_run(3, options);
  if (writing.identity.has_positions) add_positions(run, 5);
  MemoryBudget budget(std::size_t{1} << 28);
  MemoryFile file(budget, "run");
  write_sample_run(run, writing, file);
  const auto bytes = all_bytes(file);
  seeds.write("run", name, 1, {bytes.begin(), bytes.end()});
}

void write_runs(const Seeds& seeds) {
  SampleWriting plain, positions, open;
  positions.identity.has_positions = true;
  open.identity.first_document_open = open.identity.last_document_open = true;
  SampleRunOptions small, blocks;
  small.documents = 6;
  small.terms = 8;
  small.longest_text_bytes = 20;
  blocks.documents = 40;
  blocks.terms = 150;
  write_run(seeds, "plain", plain, small);
  write_run(seeds, "positions", positions, small);
  write_run(seeds, "open", open, small);
  write_run(seeds, "blocks", positions, blocks);
  const std::string with_texts =
      read_bytes(spillway::testing::source_directory() + "/tests/io/golden/run-1.0-texts.run");
  seeds.write("run", "texts", 1, with_texts);
}

void write_packed(const Seeds& seeds) {
  const std::string lines = "{\"id\":\"a\",\"text\":\"one two\"}\n{\"id\":\"b\",\"text\":\"three\"}\n";
  const std::string script = std::string("\0\5one\n\0", 7) + std::string("\0\4two\n", 6) +
                             std::string("\x41\4cut\n", 6) + std::string("\x42\4bad\n", 6) +
                             std::string("\3\4junk", 6) + std::string("\0\3end", 5);
  for (const char* codec : {"gzip", "zstd"}) {
    const auto pack = [&](std::string_view bytes) {
      return codec == std::string_view("gzip") ? gzip_member(bytes) : zstd_frame(bytes);
    };
    seeds.write(codec, "one", 0, pack(lines));
    seeds.write(codec, "members", 0, pack(lines) + pack("") + pack(lines));
    seeds.write(codec, "cut", 2, pack(lines).substr(0, 30));
    seeds.write(codec, "junk", 2, pack(lines) + "junk" + pack(lines));
    seeds.write(codec, "plain", 2, lines);
    seeds.write(codec, "script", 3, script);
    seeds.write(codec, "good-script", 3, script.substr(0, 13));
  }
  seeds.write("gzip", "stored", 0, gzip_member(lines, 0));
  seeds.write("gzip", "padded", 0, gzip_member(lines) + std::string(20, '\0'));
  seeds.write("gzip", "long", 2, gzip_member(std::string(200'000, 'a')));
  seeds.write("zstd", "skippable", 0, zstd_skippable_frame("skipped") + zstd_frame(lines));
  seeds.write("zstd", "window", 2, zstd_frame(std::string(200'000, 'a'), {3, 17, true, false}));
  seeds.write("zstd", "large-window", 2, zstd_frame(std::string(200'000, 'a'), {3, 24, false, false}));
}

// Any of the options but the first means a small limit of documents' bytes.
void write_tar(const Seeds& seeds) {
  const std::string page = "<!doctype html><title>A page</title><p>some text";
  const std::string one = tar_member("site/a.html", page), two = tar_member("b.txt", "plain text");
  std::string damaged = one, lying = tar_header("lying.html", 5000), sparse = tar_header("sparse", 600, 'S');
  damaged[3] = 'X';
  sparse[482] = 1;
  sparse = with_checksum(sparse);
  const std::string pax = tar_member("x", pax_line("path", "caf\u00e9.html") + pax_line("size", "10"), 'x');
  const std::string global = tar_member("pax_global_header", pax_line("comment", "c"), 'g');
  seeds.write("tar", "two", 0, tar_member("site/", "", '5') + one + two + tar_end());
  seeds.write("tar", "limit", 2, one + two + tar_end());
  seeds.write("tar", "damaged", 0, damaged + two + tar_end());
  seeds.write("tar", "lying", 0, lying + two + tar_end());
  seeds.write("tar", "cut", 0, one.substr(0, 530));
  seeds.write("tar", "no-end", 0, one);
  seeds.write("tar", "zeros", 0, one + std::string(512, '\0') + two);
  seeds.write("tar", "junk", 0, one + tar_end() + "junk" + two);
  seeds.write("tar", "pax", 0, global + pax + tar_header("b", 0) + "plain text" + std::string(502, '\0') + tar_end());
  seeds.write("tar", "long-name", 0, tar_member("././@LongLink", std::string(200, 'n') + '\0', 'L') + two + tar_end());
  seeds.write("tar", "links", 0, tar_header("h", 5, '1') + tar_header("s", 0, '2') + tar_member("d", "x", '1') + two);
  seeds.write("tar", "sparse", 0, sparse + std::string(512, '\0') + std::string(1024, 's') + two + tar_end());
}

void write_zip(const Seeds& seeds) {
  const std::string records = archived_page("urn:a", "<p>one") + archived_page("urn:b", "<p>two");
  const std::string wacz = zip_of({{"archive/a.warc.gz", gzip_member(records)}, {"archive/b.warc", records, true}});
  const std::string stored = zip_of({{"archive/a.warc", records}});
  std::string damaged = stored, large = stored;
  damaged[100] = static_cast<char>(damaged[100] ^ 1);
  large.replace(large.rfind("PK\5\6") + 12, 4, "\xFF\xFF\xFF\x7F");
  seeds.write("zip", "wacz", 0, wacz);
  seeds.write("zip", "limit", 2, wacz);
  seeds.write("zip", "stored", 0, stored);
  seeds.write("zip", "damaged", 0, damaged);
  seeds.write("zip", "large-directory", 0, large);
  seeds.write("zip", "cut", 0, stored.substr(0, stored.size() - 30));
  seeds.write("zip", "other", 0, zip_of({{"word/document.xml", "<xml/>", true}}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) throw std::runtime_error("usage: fuzz_seeds DIRECTORY");
  const Seeds seeds(argv[1]);
  write_index(seeds, "meta", small_index(StorePolicy::kMeta, false));
  write_index(seeds, "text-positions", small_index(StorePolicy::kText, true));
  write_index(seeds, "blocks", index_of_blocks(false));
  write_index(seeds, "blocks-positions", index_of_blocks(true));
  write_index(seeds, "terms", index_of_terms());
  write_index(seeds, "empty", SampleIndex{});
  write_runs(seeds);
  write_packed(seeds);
  write_tar(seeds);
  write_zip(seeds);
  return 0;
}
