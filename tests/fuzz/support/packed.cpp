#include "tests/fuzz/support/packed.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "corpora/unpack/unpacking_stream.hpp"

namespace spillway::fuzz {

namespace {

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(std::span<std::uint8_t> out) override {
    const std::size_t count = std::min(out.size(), bytes_.size());
    std::copy_n(bytes_.begin(), count, out.begin());
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
};

Unpacked unpack(std::string_view stored, const MakeCodec& codec, std::size_t read_bytes) {
  std::vector<std::uint8_t> buffer(PackedInput::kBufferBytes), portion(UnpackingStream::kPortionBytes), out(read_bytes);
  UnpackingStream stream(PackedInput(std::make_unique<TextSource>(stored), buffer), codec(), portion);
  Unpacked result;
  while (true) {
    const std::size_t got = stream.read(out);
    result.bytes.append(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got));
    if (got != 0) continue;
    const auto fault = stream.take_fault();
    if (!fault) break;
    EXPECT_EQ(fault->unpacked_offset, result.bytes.size());
    result.faults.emplace_back(fault->reason, fault->unpacked_offset);
  }
  EXPECT_EQ(stream.stored_position(), stored.size()) << "all bytes of the file are read";
  return result;
}

}  // namespace

Unpacked unpack_in_all_ways(std::string_view stored, const MakeCodec& codec) {
  Unpacked whole = unpack(stored, codec, std::size_t{1} << 16);
  for (const std::size_t read_bytes : {std::size_t{1}, std::size_t{1000}}) {
    if (whole.bytes.size() / read_bytes > 20'000) continue;  // a bomb, in single bytes
    const Unpacked again = unpack(stored, codec, read_bytes);
    EXPECT_TRUE(again == whole) << read_bytes;
  }
  return whole;
}

PackedFile packed_file(std::string_view script, const Pack& pack) {
  PackedFile file{"", ""};
  while (script.size() >= 2) {
    const auto step = static_cast<std::uint8_t>(script[0]);
    const std::size_t bytes = std::min<std::size_t>(static_cast<std::uint8_t>(script[1]), script.size() - 2);
    const std::string_view content = script.substr(2, bytes);
    std::string member = pack(content);
    script.remove_prefix(2 + bytes);
    if (step % 4 == 0) {
      if (file.content) *file.content += content;
    } else {
      file.content.reset();
    }
    if (step % 4 == 1) member.resize(member.size() * (step / 4) / 64);
    if (step % 4 == 2) member[member.size() * (step / 4) / 64] ^= static_cast<char>(1 + bytes);
    if (step % 4 == 3) member = content;
    file.stored += member;
  }
  return file;
}

CorpusFormat content_format(std::uint8_t options) {
  constexpr CorpusFormat kFormats[] = {CorpusFormat::kJsonl, CorpusFormat::kLines, CorpusFormat::kTrec,
                                       CorpusFormat::kTsv,   CorpusFormat::kText,  CorpusFormat::kWarc,
                                       CorpusFormat::kAuto,  CorpusFormat::kTar};
  return kFormats[options / 2 % std::size(kFormats)];
}

}  // namespace spillway::fuzz
