#include "indexer/resume/checkpoints.hpp"

#include <algorithm>
#include <ctime>
#include <system_error>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/scratch/job_files.hpp"

namespace spillway {

namespace {

void sync(const std::vector<std::shared_ptr<WritableFile>>& files) {
  for (const auto& file : files) {
    file->sync();
    file->close();
  }
}

}  // namespace

Checkpoints::Checkpoints(FileSystem& files, std::string directory, const JobDescription& job,
                         std::function<void()> committed)
    : files_(files),
      directory_(std::move(directory)),
      committed_(std::move(committed)),
      job_(hash128(bytes_of(job.serialize()))),
      input_bytes_(job.inputs.bytes()) {
  const std::vector<std::string> commits = commit_names(files_, directory_);
  if (commits.empty()) {
    begin(job);
  } else {
    go_on(job, commits.front());
  }
}

void Checkpoints::go_on(const JobDescription& job, const std::string& newest) {
  check_job(job);
  const std::string path = directory_ + "/" + newest;
  start_ = Commit::parse(read_file(files_, path), path);
  if (start_.job != job_ || commit_name(start_.number) != newest) {
    throw FormatError(printable(path, 4096) +
                      ": it belongs to another job than spillway-job beside it; give --restart to begin the job anew");
  }
  last_ = start_;
  done_ = start_.ledger;
  remove_unnamed();
  committed_();
}

void Checkpoints::begin(const JobDescription& job) {
  remove_job_files(files_, directory_);
  write_job_file(files_, directory_, kDescriptionName, job.serialize());
}

void Checkpoints::check_job(const JobDescription& job) {
  const std::string path = directory_ + "/" + kDescriptionName;
  const std::string difference = job.difference_from(JobDescription::parse(read_file(files_, path), path));
  if (difference.empty()) return;
  throw UsageError(printable(directory_, 4096) + " holds an interrupted job that this one cannot go on with: " +
                   difference + "; give the same inputs and options as before, or --restart to begin anew");
}

void Checkpoints::remove_unnamed() {
  for (const std::string& name : files_.list(directory_)) {
    const bool is_named = name == kDescriptionName || name == commit_name(start_.number) ||
                          std::any_of(start_.sources.begin(), start_.sources.end(),
                                      [&](const CommittedSource& source) { return source.name == name; });
    if (!is_named && name.starts_with(kScratchFilePrefix)) files_.remove(directory_ + "/" + name);
    if (name == "index" || name == "replaced") {
      remove_job_files(files_, directory_ + "/" + name);
      files_.remove(directory_ + "/" + name);
    }
  }
}

MergeSources Checkpoints::open_start(const OpenRun& open_run) {
  MergeSources sources;
  for (const CommittedSource& source : start_.sources) {
    sources.push_back(open_run(source));
    Entry entry = entry_of(*sources.back());
    if (!(entry.committed == source)) {
      throw FormatError(printable(directory_ + "/" + source.name, 4096) + ": expected " + std::to_string(source.bytes) +
                        " bytes and the counts of commit " + std::to_string(start_.number) + ", found " +
                        std::to_string(entry.committed.bytes) +
                        " bytes or other counts; give --restart to begin the job anew");
    }
    entries_.push_back(std::move(entry));
  }
  done_entries_ = entries_.size();
  return sources;
}

Checkpoints::Entry Checkpoints::entry_of(const MergeSource& source) {
  return {&source, {source.kept_name, source.bytes, source.summary, source.may_have_dropped}};
}

Checkpoints::Batch Checkpoints::batch_of(std::span<const std::unique_ptr<MergeSource>> runs) {
  Batch batch;
  for (const auto& run : runs) {
    batch.entries.push_back(entry_of(*run));
    if (run->unsynced != nullptr) batch.files.push_back(std::move(run->unsynced));
  }
  return batch;
}

void Checkpoints::add(std::span<const std::unique_ptr<MergeSource>> runs, const std::optional<Ledger>& done) {
  Batch batch = batch_of(runs);
  batch.done = done;
  std::deque<Batch> batches;
  batches.push_back(std::move(batch));
  if (!thread_.joinable()) return take(std::move(batches));
  std::unique_lock lock(queue_mutex_);
  changed_.wait(lock, [&] { return waiting_.size() < kMostWaiting || error_ != nullptr; });
  if (error_ != nullptr) std::rethrow_exception(error_);
  waiting_.push_back(std::move(batches.front()));
  changed_.notify_all();
}

// Several blocks need only one commit.
void Checkpoints::take(std::deque<Batch> batches) {
  for (const Batch& batch : batches) sync(batch.files);
  const std::lock_guard lock(mutex_);
  bool any_done = false;
  for (Batch& batch : batches) {
    for (Entry& entry : batch.entries) entries_.push_back(std::move(entry));
    if (!batch.done || (batch.entries.empty() && batch.done->position == done_.position)) continue;
    done_ = std::move(*batch.done);
    done_entries_ = entries_.size();
    any_done = true;
  }
  if (any_done) commit();
}

void Checkpoints::commit_in_background() {
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): the caller commits
  }
}

void Checkpoints::work() {
  std::unique_lock lock(queue_mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || stopping_; });
    if (waiting_.empty() || stopping_) return;
    std::deque<Batch> batches = std::exchange(waiting_, {});
    is_busy_ = true;
    changed_.notify_all();
    lock.unlock();
    std::exception_ptr error;
    try {
      take(std::move(batches));
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    is_busy_ = false;
    error_ = error;
    changed_.notify_all();
    if (error_ != nullptr) return;
  }
}

void Checkpoints::flush() {
  std::unique_lock lock(queue_mutex_);
  changed_.wait(lock, [&] { return (waiting_.empty() && !is_busy_) || error_ != nullptr; });
  if (error_ != nullptr) std::rethrow_exception(error_);
}

// Drops what waits.
void Checkpoints::stop() {
  {
    const std::lock_guard lock(queue_mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Checkpoints::end_input(const Ledger& done) { add({}, done); }

void Checkpoints::replace(std::span<const std::unique_ptr<MergeSource>> group, const MergeSource& merged) {
  const std::lock_guard lock(mutex_);
  if (merged.unsynced != nullptr) sync({{merged.unsynced}});
  const auto first = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.source == group.front().get(); });
  for (const auto& source : group) {
    if (source->is_spilled()) replaced_.push_back(source->kept_name);
  }
  *first = entry_of(merged);
  entries_.erase(first + 1, first + static_cast<std::ptrdiff_t>(group.size()));
  done_entries_ = entries_.size();
  ++last_.merge_steps;
  commit();
}

// Requires: mutex_ is held. The runs are synced, but not yet their names.
void Checkpoints::commit() {
  const std::span<const Entry> done(entries_.data(), done_entries_);
  const bool all_kept =
      std::all_of(done.begin(), done.end(), [](const Entry& entry) { return !entry.committed.name.empty(); });
  if (!all_kept || failed_) return;
  failed_ = true;
  last_.number = last_.number + 1;
  last_.job = job_;
  last_.seconds = static_cast<std::int64_t>(std::time(nullptr));
  last_.ledger = done_;
  last_.sources.clear();
  for (const Entry& entry : done) last_.sources.push_back(entry.committed);
  files_.sync_directory(directory_);
  write_job_file(files_, directory_, commit_name(last_.number), last_.serialize());
  failed_ = false;
  committed_();
  remove_replaced();
}

// Requires: mutex_ is held.
void Checkpoints::remove_replaced() {
  if (last_.number > 1 && files_.status(directory_ + "/" + commit_name(last_.number - 1))) {
    files_.remove(directory_ + "/" + commit_name(last_.number - 1));
  }
  for (const std::string& name : std::exchange(replaced_, {})) files_.remove(directory_ + "/" + name);
}

void Checkpoints::rethrow(const std::function<void(const std::string&)>& warn) {
  try {
    flush();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the job has its first error already
  }
  const std::lock_guard lock(mutex_);
  const std::uint64_t commits = last_.number - (failed_ ? 1 : 0);
  if (commits == 0) throw;
  try {
    throw;
  } catch (const FormatError& error) {
    const std::string words = error.what();
    if (words.find("--restart") != std::string::npos) throw;
    throw FormatError(words + "; --restart discards the runs in " + printable(directory_, 4096) + " and begins anew");
  } catch (...) {
    warn(how_to_go_on());
    throw;
  }
}

// Requires: mutex_ is held.
std::string Checkpoints::how_to_go_on() const {
  const std::string done = input_bytes_ == 0 ? std::to_string(last_.merge_steps) + " steps of the merge"
                                             : "the runs of " + std::to_string(last_.ledger.bytes) + " of " +
                                                   std::to_string(input_bytes_) + " bytes of the input";
  return printable(directory_, 4096) + " keeps " + done + ": give the same command with --resumable to go on, or " +
         "with --restart to begin anew";
}

}  // namespace spillway
