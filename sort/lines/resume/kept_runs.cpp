#include "sort/lines/resume/kept_runs.hpp"

#include <algorithm>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/scratch/job_files.hpp"
#include "sort/lines/resume/run_table.hpp"

namespace spillway {

namespace {

constexpr std::string_view kRunPrefix = "spillway-run-";

// The number in the name of a run; nothing for other names.
std::optional<std::uint64_t> run_number(const std::string& name) {
  if (!name.starts_with(kRunPrefix) || name.size() == kRunPrefix.size() || name.size() > kRunPrefix.size() + 18 ||
      name.find_first_not_of("0123456789", kRunPrefix.size()) != std::string::npos) {
    return std::nullopt;
  }
  return std::stoull(name.substr(kRunPrefix.size()));
}

}  // namespace

KeptRuns::KeptRuns(FileSystem& files, std::string directory, SortDescription sort, InterruptedSort interrupted)
    : files_(files),
      directory_(std::move(directory)),
      sort_(std::move(sort)),
      job_(hash128(bytes_of(sort_.serialize()))) {
  if (!files_.is_link(directory_) && !files_.status(directory_)) return;
  take(interrupted);
  const std::vector<std::string> commits = commit_names(files_, directory_);
  if (commits.empty()) {
    remove_job_files(files_, directory_);
    return;
  }
  is_kept_ = true;
  read_commit(commits.front());
  remove_unnamed();
}

KeptRuns::~KeptRuns() {
  drop_unfinished();
  entries_.clear();
  if (owned_ != nullptr && !is_kept_) owned_->remove();
}

// Nothing else removes it before the next sort. What cannot be removed stays for that.
void KeptRuns::drop_unfinished() noexcept {
  if (unfinished_ == nullptr) return;
  try {
    files_.remove(std::exchange(unfinished_, nullptr)->path());
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): see above
  }
}

// The lock file tells the kind of a directory, so one of another kind is removed and made again.
void KeptRuns::take(InterruptedSort interrupted) {
  owned_ = OwnedDirectory::take(files_, directory_, JobKind::kSort);
  const bool has_commit = !commit_names(files_, directory_).empty(), is_of_sort = owned_->kind() == JobKind::kSort;
  if (is_of_sort && !(has_commit && interrupted == InterruptedSort::kDiscard)) return;
  if (has_commit && interrupted != InterruptedSort::kDiscard) {
    throw UsageError(printable(directory_, 4096) +
                     " holds an interrupted job that is no sort: give its command to go on with it, or --restart to "
                     "discard it and begin anew");
  }
  if (files_.status(path_of("replaced"))) {
    throw UsageError(
        printable(directory_, 4096) +
        " holds an index that an interrupted job moved there: give its command again, or choose another -o");
  }
  owned_->remove();
  owned_ = OwnedDirectory::take(files_, directory_, JobKind::kSort);
  if (owned_->kind() == JobKind::kSort && commit_names(files_, directory_).empty()) return;
  throw IoError(printable(directory_, 4096) + " holds an interrupted job that cannot be removed; remove the directory");
}

void KeptRuns::read_commit(const std::string& name) {
  check_sort();
  const std::string path = path_of(name);
  last_ = SortCommit::parse(read_file(files_, path), path);
  if (last_.job != job_ || commit_name(last_.number) != name) {
    throw FormatError(printable(path, 4096) +
                      ": it belongs to another job than spillway-job beside it; give --restart to begin the job anew");
  }
  for (CommittedRun& run : std::exchange(last_.runs, {})) {
    const auto number = run_number(run.name);
    if (!number) throw FormatError(printable(path, 4096) + ": it names no run; give --restart to begin the job anew");
    next_number_ = std::max(next_number_, *number + 1);
    entries_.push_back({std::move(run), nullptr});
  }
}

void KeptRuns::check_sort() const {
  const std::string path = path_of(kDescriptionName);
  if (!files_.status(path)) {
    throw FormatError(printable(path, 4096) + ": expected the description of an interrupted sort, found no file: it " +
                      "was removed; give --restart to sort anew");
  }
  const std::string difference = sort_.difference_from(SortDescription::parse(read_file(files_, path), path));
  if (difference.empty()) return;
  throw UsageError(printable(directory_, 4096) + " holds an interrupted sort that this one cannot go on with: " +
                   difference + "; give the same inputs and options as before, or --restart to begin anew");
}

void KeptRuns::remove_unnamed() {
  for (const std::string& name : files_.list(directory_)) {
    const bool is_named =
        name == kDescriptionName || name == commit_name(last_.number) ||
        std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.committed.name == name; });
    if (!is_named && name.starts_with(kScratchFilePrefix)) files_.remove(path_of(name));
  }
}

std::vector<Run> KeptRuns::open_runs() {
  std::vector<Run> runs;
  for (Entry& entry : entries_) {
    const CommittedRun& committed = entry.committed;
    if (entry.file == nullptr) entry.file = KeptFile::open(files_, path_of(committed.name));
    const auto table = entry.file->read_end(committed.bytes, committed.table_bytes);
    if (hash128(table) != committed.table_hash) {
      throw FormatError(printable(entry.file->path(), 4096) + " at byte " +
                        std::to_string(committed.bytes - committed.table_bytes) + ": expected the table of commit " +
                        std::to_string(last_.number) +
                        ", found other bytes: the file is damaged; give --restart to sort anew");
    }
    runs.push_back(read_run_table(table, committed.bytes - committed.table_bytes, entry.file->path()));
    runs.back().file = entry.file.get();
    runs.back().stored_bytes = committed.bytes;
  }
  return runs;
}

void KeptRuns::make_directory() {
  if (owned_ == nullptr) {
    take(InterruptedSort::kGoOn);
    if (!commit_names(files_, directory_).empty()) {
      is_kept_ = true;  // it is not this sort's
      throw UsageError(printable(directory_, 4096) +
                       " holds a sort that was begun, and interrupted, meanwhile; give its command to go on with it");
    }
    remove_job_files(files_, directory_);
  }
  if (files_.status(path_of(kDescriptionName))) return;
  write_job_file(files_, directory_, kDescriptionName, sort_.serialize());
  files_.sync_directory(parent_directory(directory_));
}

ScratchFile& KeptRuns::next_file() {
  make_directory();
  drop_unfinished();
  unfinished_ = KeptFile::create(files_, path_of(std::string(kRunPrefix) + std::to_string(next_number_++)));
  return *unfinished_;
}

// Brings the run to the disk, but not its name.
KeptRuns::Entry KeptRuns::seal(Run& run, RunSpace& space) {
  const std::vector<std::uint8_t> table = write_run_table(run);
  const std::uint64_t more = unfinished_->size() + table.size() - run.stored_bytes;
  space.charge(more);
  run.stored_bytes += more;
  unfinished_->finish(table);
  const std::string name = unfinished_->path().substr(directory_.size() + 1);
  return {{name, unfinished_->size(), table.size(), hash128(table)}, std::move(unfinished_)};
}

void KeptRuns::add(Run& run, const InputDone& done, RunSpace& space) {
  entries_.push_back(seal(run, space));
  SortCommit next = last_;
  next.done = done;
  commit(std::move(next));
}

void KeptRuns::replace(std::span<const Run> group, Run& merged, RunSpace& space) {
  Entry entry = seal(merged, space);
  const auto first =
      std::ranges::find_if(entries_, [&](const Entry& old) { return old.file.get() == group.front().file; });
  const auto end = first + static_cast<std::ptrdiff_t>(group.size());
  std::vector<Entry> replaced(std::make_move_iterator(first), std::make_move_iterator(end));
  *first = std::move(entry);
  entries_.erase(first + 1, end);
  SortCommit next = last_;
  ++next.merge_steps;
  commit(std::move(next));
  for (Entry& old : replaced) {
    old.file.reset();
    files_.remove(path_of(old.committed.name));
  }
}

void KeptRuns::commit(SortCommit next) {
  const std::uint64_t before = last_.number;
  next.number = before + 1;
  next.job = job_;
  next.seconds = static_cast<std::int64_t>(std::time(nullptr));
  for (const Entry& entry : entries_) next.runs.push_back(entry.committed);
  files_.sync_directory(directory_);
  write_job_file(files_, directory_, commit_name(next.number), next.serialize());
  next.runs.clear();
  last_ = std::move(next);
  is_kept_ = true;
  if (before != 0) files_.remove(path_of(commit_name(before)));
}

std::string KeptRuns::what_is_kept() const {
  std::string text = printable(directory_, 4096) + " keeps the runs of " + std::to_string(last_.done.bytes);
  // The size of packed inputs is known only when they are read.
  if (last_.done.bytes <= sort_.inputs.bytes()) text += " of " + std::to_string(sort_.inputs.bytes());
  return text + " bytes of the input";
}

}  // namespace spillway
