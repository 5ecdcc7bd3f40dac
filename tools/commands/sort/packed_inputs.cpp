#include "tools/commands/sort/packed_inputs.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "corpora/reader/sniff.hpp"
#include "corpora/unpack/gzip_codec.hpp"
#include "corpora/unpack/unpacking_stream.hpp"
#include "corpora/unpack/zstd_codec.hpp"
#include "io/base/error.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kBufferBytes = PackedInput::kBufferBytes + UnpackingStream::kPortionBytes;
// The windows of most frames; later frames of a file may have larger ones than the first.
constexpr std::size_t kUsualWindowBytes = std::size_t{8} << 20;

// Files of /proc are regular, have no size, and hold text.
bool is_file(FileSystem& files, const std::string& path) {
  if (path == "-") return false;
  const auto status = files.status(path);
  return status && status->type == FileType::kRegular && status->size != 0;
}

// The bytes that a packed input begins with; fewer if it has no more.
std::string read_head(FileSystem& files, const std::string& path) {
  std::array<std::uint8_t, Codec::kHeadBytes> head{};
  const std::size_t bytes = files.open(path)->read_at(0, head);
  return {reinterpret_cast<const char*>(head.data()), bytes};
}

// A stream whose first bytes are known before they are read.
class HeadedStream final : public ByteStream {
 public:
  explicit HeadedStream(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {
    std::size_t got = 0;
    do {
      got = stream_->read(std::span(head_).subspan(bytes_));
      bytes_ += got;
    } while (got != 0 && bytes_ != head_.size());
  }

  std::string_view head() const { return {reinterpret_cast<const char*>(head_.data()), bytes_}; }
  std::size_t read(std::span<std::uint8_t> out) override {
    if (given_ == bytes_) return stream_->read(out);
    const std::size_t bytes = std::min(out.size(), bytes_ - given_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(given_), bytes, out.begin());
    given_ += bytes;
    return bytes;
  }
  const std::string& path() const override { return stream_->path(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::array<std::uint8_t, Codec::kHeadBytes> head_{};
  std::size_t bytes_ = 0, given_ = 0;
};

// The unpacked text of a packed input.
class UnpackedStream final : public ByteStream {
 public:
  UnpackedStream(std::unique_ptr<ByteStream> stream, std::unique_ptr<Codec> codec)
      : path_(stream->path()),
        buffers_(std::make_unique<std::uint8_t[]>(kBufferBytes)),
        source_(PackedInput(std::make_unique<StreamByteSource>(std::move(stream)),
                            {buffers_.get(), PackedInput::kBufferBytes}),
                std::move(codec), {buffers_.get() + PackedInput::kBufferBytes, UnpackingStream::kPortionBytes}) {}

  std::size_t read(std::span<std::uint8_t> out) override {
    const std::size_t bytes = out.empty() ? 0 : source_.read(out);
    bytes_read_ += bytes;
    if (bytes != 0) return bytes;
    if (const auto fault = source_.take_fault()) {
      throw FormatError(printable(path_, 4096) + ": byte " + std::to_string(bytes_read_) +
                        " of the unpacked text: the packed file is damaged here: " + fault->detail +
                        "; fetch the file again, or sort its bytes as they are with --unpack never");
    }
    return 0;
  }
  const std::string& path() const override { return path_; }

 private:
  std::string path_;
  std::unique_ptr<std::uint8_t[]> buffers_;
  UnpackingStream source_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace

PackedInputs::PackedInputs(Session& session, const std::vector<std::string>& paths, const SortMemory& memory)
    : session_(session) {
  constexpr std::size_t kUsual = kUsualWindowBytes + static_cast<std::size_t>(ZstdCodec::kFixedBytes);
  const std::size_t share = std::max(kUsual, ZstdCodec::share_of(memory.bytes));
  zstd_bytes_ = memory.is_limit ? share : static_cast<std::size_t>(ZstdCodec::kMaxWindowBytes + ZstdCodec::kFixedBytes);
  for (const std::string& path : paths) {
    if (!is_file(session.files, path)) {
      codec_bytes_ = std::max(codec_bytes_, share);
      ++count_;
      continue;
    }
    const std::string head = read_head(session.files, path);
    const Compression compression = sniff_compression(head);
    if (compression == Compression::kZstd) {
      // Later frames may need more than the first one.
      const std::uint64_t first = zstd_frame_memory(head).value_or(kUsual);
      const auto kept = memory.is_limit ? share : static_cast<std::size_t>(std::min<std::uint64_t>(first, zstd_bytes_));
      codec_bytes_ = std::max(codec_bytes_, kept);
      ++count_;
    } else if (compression == Compression::kGzip) {
      codec_bytes_ = std::max(codec_bytes_, GzipCodec::kMemoryBytes);
      ++count_;
    }
  }
}

std::size_t PackedInputs::bytes_each() const { return count_ == 0 ? 0 : codec_bytes_ + kBufferBytes; }

InputOpener PackedInputs::opener() const {
  return [this](const std::string& path) -> std::unique_ptr<ByteStream> {
    FileSystem& files = session_.files;
    if (is_file(files, path)) {
      const Compression compression = sniff_compression(read_head(files, path));
      if (compression != Compression::kGzip && compression != Compression::kZstd) return nullptr;
    }
    auto stream = files.open_stream(path);
    stream->set_wait_check(interruption_check(session_.signal_number));
    auto headed = std::make_unique<HeadedStream>(std::move(stream));
    std::unique_ptr<Codec> codec;
    const Compression compression = sniff_compression(headed->head());
    if (compression == Compression::kGzip) codec = std::make_unique<GzipCodec>();
    if (compression == Compression::kZstd) codec = std::make_unique<ZstdCodec>(path, zstd_bytes_);
    if (codec == nullptr) return headed;
    return std::make_unique<UnpackedStream>(std::move(headed), std::move(codec));
  };
}

}  // namespace spillway
