#include "io/scratch/temp_space.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "io/base/error.hpp"
#include "io/file/system_error.hpp"
#include "io/scratch/job_files.hpp"

namespace spillway {

namespace {

// Charges the appended bytes; when the disk is full, names the option that moves scratch files elsewhere.
class TempWriter final : public WritableFile {
 public:
  TempWriter(TempSpace& space, std::shared_ptr<WritableFile> file, std::string directory)
      : space_(space), file_(std::move(file)), directory_(std::move(directory)) {}
  ~TempWriter() override {
    file_.reset();
    space_.refund(charged_bytes_);
  }

  void append(std::span<const std::uint8_t> bytes) override {
    space_.charge(bytes.size());
    charged_bytes_ += bytes.size();
    try {
      file_->append(bytes);
    } catch (const DiskFullError& error) {
      throw DiskFullError(std::string(error.what()) + "; scratch files in " + printable(directory_, 4096) +
                          " need more room: name other directories with --temp-dir");
    }
  }
  void sync() override { file_->sync(); }
  void close() override { file_->close(); }
  std::uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }
  std::shared_ptr<WritableFile> file() const { return file_; }

 private:
  TempSpace& space_;
  std::shared_ptr<WritableFile> file_;
  std::string directory_;
  std::uint64_t charged_bytes_ = 0;
};

class NamedTempFile final : public TempFile {
 public:
  NamedTempFile(FileSystem& files, TempSpace& space, const std::string& directory, std::string path)
      : files_(files), path_(std::move(path)), writer_(space, files.create_private(path_), directory) {}
  ~NamedTempFile() override {
    reader_.reset();
    try {
      files_.remove(path_);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): ~TempSpace removes what is left
    }
  }
  NamedTempFile(const NamedTempFile&) = delete;
  NamedTempFile& operator=(const NamedTempFile&) = delete;

  WritableFile& writer() override { return writer_; }
  ReadableFile& finish() override {
    writer_.close();
    return reader();
  }
  void close_reader() override { reader_.reset(); }
  ReadableFile& reader() override {
    if (reader_ == nullptr) reader_ = files_.open(path_);
    return *reader_;
  }

 private:
  FileSystem& files_;
  std::string path_;
  TempWriter writer_;  // outlives the file, because its destruction refunds the bytes
  std::unique_ptr<ReadableFile> reader_;
};

class KeptTempFile final : public TempFile {
 public:
  KeptTempFile(FileSystem& files, TempSpace& space, const std::string& directory, std::string name)
      : files_(files),
        name_(std::move(name)),
        path_(directory + "/" + name_),
        writer_(space, files.create_private(path_), directory) {}

  WritableFile& writer() override { return writer_; }
  ReadableFile& finish() override {
    unsynced_ = writer_.file();
    return reader();
  }
  std::shared_ptr<WritableFile> take_unsynced() override { return std::move(unsynced_); }
  void close_reader() override { reader_.reset(); }
  ReadableFile& reader() override {
    if (reader_ == nullptr) reader_ = files_.open(path_);
    return *reader_;
  }
  std::string kept_name() const override { return name_; }

 private:
  FileSystem& files_;
  std::string name_, path_;
  TempWriter writer_;
  std::shared_ptr<WritableFile> unsynced_;
  std::unique_ptr<ReadableFile> reader_;
};

// Of an earlier job. Requires: writer() and finish() are not called.
class AdoptedTempFile final : public TempFile {
 public:
  AdoptedTempFile(FileSystem& files, TempSpace& space, const std::string& directory, std::string name)
      : files_(files), space_(space), name_(std::move(name)), path_(directory + "/" + name_) {
    bytes_ = files.open(path_)->size();
    space.charge(bytes_);
  }
  ~AdoptedTempFile() override { space_.refund(bytes_); }
  AdoptedTempFile(const AdoptedTempFile&) = delete;
  AdoptedTempFile& operator=(const AdoptedTempFile&) = delete;

  WritableFile& writer() override { throw std::logic_error("an adopted file is written"); }
  ReadableFile& finish() override { return reader(); }
  void close_reader() override { reader_.reset(); }
  ReadableFile& reader() override {
    if (reader_ == nullptr) reader_ = files_.open(path_);
    return *reader_;
  }
  std::string kept_name() const override { return name_; }

 private:
  FileSystem& files_;
  TempSpace& space_;
  std::string name_, path_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<ReadableFile> reader_;
};

void raise_to(std::atomic<std::uint64_t>& peak, std::uint64_t value) {
  std::uint64_t before = peak.load();
  while (before < value && !peak.compare_exchange_weak(before, value)) {
  }
}

// Returns the directories resolved, each once.
std::vector<std::string> check_directories(FileSystem& files, const std::vector<std::string>& directories) {
  std::vector<std::string> checked;
  for (const std::string& directory : directories) {
    const auto status = files.status(directory);
    if (!status || status->type != FileType::kDirectory) {
      throw UsageError("--temp-dir " + printable(directory, 4096) + ": expected a directory, found " +
                       (status ? "something else" : "nothing") + "; make it, or name another one");
    }
    std::string resolved = files.resolve(directory);
    if (std::find(checked.begin(), checked.end(), resolved) == checked.end()) checked.push_back(std::move(resolved));
  }
  return checked;
}

}  // namespace

TempSpace::TempSpace(FileSystem& files, const std::vector<std::string>& shared, const std::string& own,
                     std::uint64_t limit_bytes)
    : files_(files), own_(own), limit_bytes_(limit_bytes) {
  try {
    for (const std::string& directory : check_directories(files, shared)) {
      made_.push_back(OwnedDirectory::make_scratch(files, directory));
      directories_.push_back(made_.back()->path());
    }
  } catch (...) {
    remove_made();
    throw;
  }
  if (directories_.empty()) directories_.push_back(own);
}

TempSpace::~TempSpace() { remove_made(); }

void TempSpace::remove_made() {
  for (const auto& directory : made_) directory->remove();
}

std::unique_ptr<TempFile> TempSpace::create(const std::string& stem) {
  const std::uint64_t number = next_.fetch_add(1);
  const std::string& directory = directories_[number % directories_.size()];
  return std::make_unique<NamedTempFile>(files_, *this, directory,
                                         directory + "/" + kScratchFilePrefix + stem + "-" + std::to_string(number));
}

std::unique_ptr<TempFile> TempSpace::create_kept(const std::string& stem) {
  return std::make_unique<KeptTempFile>(files_, *this, own_,
                                        kScratchFilePrefix + stem + "-" + std::to_string(next_.fetch_add(1)));
}

// New files get higher numbers than adopted ones.
std::unique_ptr<TempFile> TempSpace::adopt(const std::string& name) {
  const std::uint64_t number = std::strtoull(name.c_str() + name.rfind('-') + 1, nullptr, 10);
  next_.store(std::max(next_.load(), number + 1));
  return std::make_unique<AdoptedTempFile>(files_, *this, own_, name);
}

void TempSpace::charge(std::uint64_t bytes) {
  if (check_) check_();
  const std::uint64_t limit = limit_bytes_ == 0 ? std::numeric_limits<std::uint64_t>::max() : limit_bytes_;
  std::uint64_t used = used_bytes_.load();
  do {
    if (bytes > limit - std::min(used, limit)) {
      throw BudgetError("scratch files hold " + std::to_string(used) + " bytes and need " + std::to_string(bytes) +
                        " more, but may hold " + std::to_string(limit) + "; give --temp-limit at least " +
                        std::to_string(used + bytes) + ", or more --memory so that less is spilled");
    }
  } while (!used_bytes_.compare_exchange_weak(used, used + bytes));
  raise_to(peak_bytes_, used + bytes);
  written_bytes_.fetch_add(bytes);
}

void TempSpace::refund(std::uint64_t bytes) { used_bytes_.fetch_sub(bytes); }

}  // namespace spillway
