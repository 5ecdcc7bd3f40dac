#include "indexer/job/work_directory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/manifest.hpp"
#include "io/scratch/job_files.hpp"
#include "io/section/writer.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::Crash;
using testing::CrashError;
using testing::FaultKind;
using testing::FaultyFileSystem;
using testing::ScratchDirectory;
namespace fs = std::filesystem;

void write_file(const std::string& path, const std::string& content) { std::ofstream(path) << content; }

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A whole manifest, in which the name stands in place of a version.
std::string manifest(const std::string& name) {
  Manifest made;
  made.options.icu_version = name;
  return made.serialize();
}

void make_index(const std::string& path, const std::string& name) {
  fs::create_directories(path);
  write_file(path + "/manifest", manifest(name));
}

void publish_new_index(WorkDirectory& work, IfOutputExists if_exists = IfOutputExists::kReplace) {
  make_index(work.index_path(), "new");
  work.publish(if_exists);
}

// Makes the work directory of a killed job for `output`.
void leave_work_directory(const std::string& output) {
  const auto left = OwnedDirectory::take(posix_file_system(), output + ".work");
}

TEST(WorkDirectory, StandsBesideTheOutputAndGoes) {
  const ScratchDirectory scratch;
  {
    const WorkDirectory work(posix_file_system(), scratch / "out");
    EXPECT_EQ(work.path(), scratch / "out.work");
    EXPECT_TRUE(fs::is_directory(work.path()));
    EXPECT_FALSE(fs::exists(work.index_path()));
    make_index(work.index_path(), "unfinished");
    write_file(work.path() + "/spillway-run-0", "x");
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(WorkDirectory, TakesAnOutputWithSlashesBehindIt) {
  const ScratchDirectory scratch;
  const WorkDirectory work(posix_file_system(), scratch / "out//");
  EXPECT_EQ(work.path(), scratch / "out.work");
}

TEST(WorkDirectory, RemovesWhatAKilledJobLeft) {
  const ScratchDirectory scratch;
  leave_work_directory(scratch / "out");
  make_index(scratch / "out.work/index", "unfinished");
  write_file(scratch / "out.work/index/postings_1.pages", "of a section above 256 MiB");
  write_file(scratch / "out.work/spillway-run-1", "x");
  const WorkDirectory work(posix_file_system(), scratch / "out");
  EXPECT_EQ(posix_file_system().list(work.path()), std::vector<std::string>{"LOCK"});
}

TEST(WorkDirectory, RefusesWhatNoJobMade) {
  const ScratchDirectory scratch;
  fs::create_directories(scratch / "out.work");
  write_file(scratch / "out.work/LOCK", "");
  EXPECT_THROW(WorkDirectory(posix_file_system(), scratch / "out"), UsageError);
  EXPECT_EQ(content_of(scratch / "out.work/LOCK"), "");
  leave_work_directory(scratch / "used");
  write_file(scratch / "used.work/thesis", "x");
  write_file(scratch / "used.work/spillway-run-1", "x");
  EXPECT_THROW(WorkDirectory(posix_file_system(), scratch / "used"), UsageError);
  EXPECT_EQ(content_of(scratch / "used.work/thesis"), "x");
  EXPECT_TRUE(fs::exists(scratch / "used.work/spillway-run-1"));
  leave_work_directory(scratch / "other");
  make_index(scratch / "other.work/index", "unfinished");
  write_file(scratch / "other.work/index/thesis.pages", "x");
  EXPECT_THROW(WorkDirectory(posix_file_system(), scratch / "other"), UsageError);
  EXPECT_EQ(content_of(scratch / "other.work/index/thesis.pages"), "x");
}

TEST(WorkDirectory, DropsAnIndexWhoseTablesOfPagesAreLeft) {
  const ScratchDirectory scratch;
  WorkDirectory work(posix_file_system(), scratch / "out");
  make_index(work.index_path(), "unfinished");
  {
    SectionWriter section(posix_file_system(), work.index_path(), Section::kPostings, kPageBytes, 4);
    section.append(std::vector<std::uint8_t>(3 * kPageBytes));
  }
  EXPECT_TRUE(fs::exists(work.index_path() + "/postings.pages"));
  work.drop_index();
  EXPECT_FALSE(fs::exists(work.index_path()));
}

TEST(WorkDirectory, RefusesASecondOneWhileTheFirstLives) {
  const ScratchDirectory scratch;
  const WorkDirectory work(posix_file_system(), scratch / "out");
  write_file(work.path() + "/spillway-run-1", "x");
  try {
    const WorkDirectory second(posix_file_system(), scratch / "out");
    FAIL() << "no exception";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("out.work"), std::string::npos);
  }
  EXPECT_TRUE(fs::exists(work.path() + "/spillway-run-1")) << "the second one must leave the first one's files alone";
}

TEST(WorkDirectory, RefusesAnotherProcessAndIsFreeWhenTheOwnerDies) {
  const ScratchDirectory scratch;
  int ready[2], end[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(end), 0);
  const pid_t owner = fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    const auto work = std::make_unique<WorkDirectory>(posix_file_system(), scratch / "out");
    char byte = 'r';
    if (write(ready[1], &byte, 1) != 1) _exit(2);
    if (read(end[0], &byte, 1) != 1) _exit(3);
    _exit(0);  // without destruction, as if killed
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THROW(WorkDirectory(posix_file_system(), scratch / "out"), UsageError);
  EXPECT_TRUE(fs::exists(scratch / "out.work"));
  ASSERT_EQ(write(end[1], "e", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(owner, &status, 0), owner);
  EXPECT_EQ(status, 0);
  EXPECT_NO_THROW(WorkDirectory(posix_file_system(), scratch / "out"));
  for (const int descriptor : {ready[0], ready[1], end[0], end[1]}) close(descriptor);
}

TEST(WorkDirectory, RefusesAnOutputWhoseParentIsNotThere) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "x");
  for (const char* output : {"missing/out", "file/out"}) {
    EXPECT_THROW(WorkDirectory(posix_file_system(), scratch / output), UsageError) << output;
  }
  EXPECT_FALSE(fs::exists(scratch / "missing"));
}

TEST(WorkDirectory, PublishesByOneRename) {
  const ScratchDirectory scratch;
  {
    WorkDirectory work(posix_file_system(), scratch / "out");
    publish_new_index(work, IfOutputExists::kRefuse);
    EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("new"));
  }
  EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("new"));
  EXPECT_FALSE(fs::exists(scratch / "out.work"));
}

TEST(WorkDirectory, ReplacesAnIndexAndRemovesIt) {
  const ScratchDirectory scratch;
  make_index(scratch / "out", "old");
  write_file(scratch / "out/postings", "x");
  {
    WorkDirectory work(posix_file_system(), scratch / "out");
    publish_new_index(work);
  }
  EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("new"));
  EXPECT_FALSE(fs::exists(scratch / "out/postings"));
  EXPECT_FALSE(fs::exists(scratch / "out.work"));
}

// The output is checked before a job that may take hours; at its end something else may be there.
TEST(WorkDirectory, ReplacesNothingThatCameMeanwhile) {
  const ScratchDirectory scratch;
  for (const IfOutputExists if_exists : {IfOutputExists::kRefuse, IfOutputExists::kReplace}) {
    {
      WorkDirectory work(posix_file_system(), scratch / "out");
      fs::create_directory(scratch / "out");
      write_file(scratch / "out/thesis", "x");
      EXPECT_THROW(publish_new_index(work, if_exists), UsageError);
    }
    EXPECT_EQ(content_of(scratch / "out/thesis"), "x");
    EXPECT_FALSE(fs::exists(scratch / "out.work"));
    fs::remove_all(scratch / "out");
  }
  WorkDirectory work(posix_file_system(), scratch / "out");
  make_index(scratch / "out", "another job's");
  EXPECT_THROW(publish_new_index(work, IfOutputExists::kRefuse), UsageError);
  EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("another job's"));
}

TEST(WorkDirectory, ReplacesAnIndexThatItsPathGoesThrough) {
  const ScratchDirectory scratch;
  make_index(scratch / "out", "old");
  {
    WorkDirectory work(posix_file_system(), scratch / "out/../out");
    publish_new_index(work);
    EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("new"));
  }
  EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("new"));
  EXPECT_FALSE(fs::exists(scratch / "out.work"));
}

TEST(WorkDirectory, KeepsALinkAtTheOutputAndReplacesWhatItNames) {
  const ScratchDirectory scratch;
  fs::create_directory(scratch / "elsewhere");
  make_index(scratch / "elsewhere/real", "old");
  fs::create_directory_symlink("elsewhere/real", scratch / "out");
  {
    WorkDirectory work(posix_file_system(), scratch / "out");
    EXPECT_EQ(work.path(), fs::canonical(scratch.path()).string() + "/elsewhere/real.work");
    publish_new_index(work);
  }
  EXPECT_EQ(fs::read_symlink(scratch / "out"), "elsewhere/real");
  EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("new"));
  fs::remove_all(scratch / "elsewhere/real");
  {
    WorkDirectory work(posix_file_system(), scratch / "out");
    publish_new_index(work, IfOutputExists::kRefuse);
  }
  EXPECT_EQ(content_of(scratch / "elsewhere/real/manifest"), manifest("new")) << "of a link to nothing";
}

TEST(WorkDirectory, PutsTheOldIndexBackThatAnInterruptedPublishMoved) {
  const ScratchDirectory scratch;
  leave_work_directory(scratch / "out");
  make_index(scratch / "out.work/replaced", "old");
  { const WorkDirectory work(posix_file_system(), scratch / "out"); }
  EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("old"));
  EXPECT_FALSE(fs::exists(scratch / "out.work"));
}

TEST(WorkDirectory, KeepsTheNewIndexWhereAPublishWasAllButDone) {
  const ScratchDirectory scratch;
  leave_work_directory(scratch / "out");
  make_index(scratch / "out.work/replaced", "old");
  make_index(scratch / "out", "new");
  { const WorkDirectory work(posix_file_system(), scratch / "out"); }
  EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("new"));
  EXPECT_FALSE(fs::exists(scratch / "out.work"));
}

// As an index writer writes its files.
void write_manifest(FileSystem& files, const std::string& directory) {
  const auto file = files.create(directory + "/manifest");
  file->append(bytes_of(manifest("new")));
  WritableFile* const written[] = {file.get()};
  sync_and_close(written);
  files.sync_directory(directory);
}

// A job in miniature: builds an index of one file in the work directory and publishes it.
void build(FileSystem& files) {
  WorkDirectory work(files, "/job/out");
  files.make_directory(work.index_path());
  write_manifest(files, work.index_path());
  work.publish(IfOutputExists::kReplace);
}

// "new", "old" or "none"; anything else is a mixture.
std::string published(FaultyFileSystem& files) {
  const std::vector<std::string> paths = files.all_paths();
  const bool there = std::find(paths.begin(), paths.end(), "/job/out") != paths.end();
  if (!there) return "none";
  try {
    const std::string found = files.get("/job/out/manifest");
    for (const char* name : {"new", "old"}) {
      if (found == manifest(name)) return name;
    }
    return "another manifest";
  } catch (const std::out_of_range&) {
    return "an index without its files";
  }
}

// The content of the output, and whether the file system can exchange it for the new index.
enum class OutputCase { kFresh, kOverAnIndex, kOverAnIndexWithoutExchange };

void set_up(FaultyFileSystem& files, OutputCase output) {
  files.set_can_exchange(output != OutputCase::kOverAnIndexWithoutExchange);
  if (output == OutputCase::kFresh) return;
  files.make_directory("/job/out");
  files.sync_directory("/job");
  files.put("/job/out/manifest", manifest("old"));
}

class WorkDirectoryFaults : public ::testing::TestWithParam<OutputCase> {
 protected:
  static std::string old_one() { return GetParam() == OutputCase::kFresh ? "none" : "old"; }
  static bool is_old_or_new(const std::string& found) { return found == "new" || found == old_one(); }
};

TEST_P(WorkDirectoryFaults, LeaveTheOldIndexOrTheNewOneWhateverFails) {
  for (const bool sticky : {false, true}) {
    std::uint64_t fired = 0;
    for (std::uint64_t n = 0;; ++n) {
      FaultyFileSystem files;
      set_up(files, GetParam());
      files.inject({FaultKind::kIoError, n, sticky});
      bool failed = false;
      try {
        build(files);
      } catch (const Error&) {
        failed = true;
      }
      if (files.faults_fired() == 0) break;
      ++fired;
      files.inject({});
      const std::string found = published(files);
      if (!failed) {
        EXPECT_EQ(found, "new") << n;
      } else if (!sticky) {
        EXPECT_TRUE(is_old_or_new(found)) << n << ": " << found;
      }
      // In every case the next job recovers the old index, if the new one is not there, and succeeds.
      { const WorkDirectory next(files, "/job/out"); }
      EXPECT_TRUE(is_old_or_new(published(files))) << n << ": " << published(files);
      build(files);
      EXPECT_EQ(published(files), "new");
      for (const std::string& path : files.all_paths()) EXPECT_FALSE(path.starts_with("/job/out.work")) << path;
    }
    EXPECT_GT(fired, 10U);
  }
}

TEST_P(WorkDirectoryFaults, LeaveTheOldIndexOrTheNewOneWhereverTheProcessOrTheMachineStops) {
  for (const Crash crash : {Crash::kProcess, Crash::kPower}) {
    std::uint64_t fired = 0;
    for (std::uint64_t n = 0;; ++n) {
      FaultyFileSystem files;
      set_up(files, GetParam());
      files.inject({FaultKind::kCrash, n, false});
      try {
        build(files);
      } catch (const CrashError&) {
      } catch (const Error&) {
      }
      if (files.faults_fired() == 0) break;
      ++fired;
      files.restart(crash);
      const std::string found = published(files);
      // Between the two renames there is no index, until the next job.
      const bool may_be_aside = GetParam() == OutputCase::kOverAnIndexWithoutExchange && found == "none";
      EXPECT_TRUE(is_old_or_new(found) || may_be_aside) << n << ": " << found;
      { const WorkDirectory next(files, "/job/out"); }
      EXPECT_TRUE(is_old_or_new(published(files))) << n << ": " << published(files);
      build(files);
      EXPECT_EQ(published(files), "new");
      for (const std::string& path : files.all_paths()) EXPECT_FALSE(path.starts_with("/job/out.work")) << path;
    }
    EXPECT_GT(fired, 10U);
  }
}

INSTANTIATE_TEST_SUITE_P(Output, WorkDirectoryFaults,
                         ::testing::Values(OutputCase::kFresh, OutputCase::kOverAnIndex,
                                           OutputCase::kOverAnIndexWithoutExchange),
                         [](const auto& tested) {
                           if (tested.param == OutputCase::kFresh) return "Fresh";
                           return tested.param == OutputCase::kOverAnIndex ? "OverAnIndex"
                                                                           : "OverAnIndexWithoutExchange";
                         });

// A file system that can exchange always has an index at the output: a sweep over all operations.
TEST(WorkDirectory, ReplacesAnIndexByOneExchange) {
  FaultyFileSystem files;
  set_up(files, OutputCase::kOverAnIndex);
  {
    WorkDirectory work(files, "/job/out");
    files.make_directory(work.index_path());
    write_manifest(files, work.index_path());
    work.publish(IfOutputExists::kReplace);
    EXPECT_EQ(files.get(work.index_path() + "/manifest"), manifest("old"));
    EXPECT_EQ(published(files), "new");
  }
  EXPECT_EQ(published(files), "new");
}

// As an interrupted resumable job leaves it.
void leave_resumable(const std::string& output) {
  WorkDirectory work(posix_file_system(), output, JobKind::kResumable);
  for (const char* name : {"spillway-job", "spillway-manifest-7", "spillway-run-0"}) {
    write_file(work.path() + "/" + name, name);
  }
  make_index(work.index_path(), "unfinished");
  work.keep();
}

TEST(WorkDirectory, KeepsWhatAResumableJobHasCommitted) {
  const ScratchDirectory scratch;
  leave_resumable(scratch / "out");
  const std::vector<std::string> kept{"LOCK", "spillway-job", "spillway-manifest-7", "spillway-run-0"};
  EXPECT_EQ(posix_file_system().list(scratch / "out.work"), kept);
  { const WorkDirectory next(posix_file_system(), scratch / "out", JobKind::kResumable); }
  EXPECT_EQ(posix_file_system().list(scratch / "out.work"), kept);
  {
    WorkDirectory next(posix_file_system(), scratch / "out", JobKind::kResumable);
    publish_new_index(next);
  }
  EXPECT_FALSE(fs::exists(scratch / "out.work")) << "what is published is done";
}

TEST(WorkDirectory, IsNotTakenFromAnInterruptedJobUnlessThatIsDiscarded) {
  const ScratchDirectory scratch;
  leave_resumable(scratch / "out");
  try {
    const WorkDirectory ordinary(posix_file_system(), scratch / "out");
    FAIL() << "no exception";
  } catch (const UsageError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("--resumable"), std::string::npos) << words;
    EXPECT_NE(words.find("--restart"), std::string::npos) << words;
  }
  EXPECT_EQ(content_of(scratch / "out.work/spillway-run-0"), "spillway-run-0");
  for (const JobKind kind : {JobKind::kOrdinary, JobKind::kResumable}) {
    { const WorkDirectory anew(posix_file_system(), scratch / "out", kind, Interrupted::kDiscard); }
    EXPECT_FALSE(fs::exists(scratch / "out.work"));
    leave_resumable(scratch / "out");
  }
}

// Nothing is lost if a job of the other kind takes a directory without commits.
TEST(WorkDirectory, IsTakenByAJobOfTheOtherKindIfNothingIsCommitted) {
  const ScratchDirectory scratch;
  for (const JobKind kind : {JobKind::kOrdinary, JobKind::kResumable}) {
    const JobKind other = kind == JobKind::kOrdinary ? JobKind::kResumable : JobKind::kOrdinary;
    { const auto left = OwnedDirectory::take(posix_file_system(), scratch / "out.work", other); }
    write_file(scratch / "out.work/spillway-run-3", "x");
    make_index(scratch / "out.work/replaced", "old");
    const WorkDirectory work(posix_file_system(), scratch / "out", kind);
    EXPECT_EQ(kind_of_directory(posix_file_system(), scratch / "out.work"), kind);
    EXPECT_EQ(posix_file_system().list(work.path()), std::vector<std::string>{"LOCK"});
    EXPECT_EQ(content_of(scratch / "out/manifest"), manifest("old")) << "an index that was moved aside is put back";
    fs::remove_all(scratch / "out");
  }
}

TEST(WorkDirectory, NamesTheNewestCommitFirst) {
  const ScratchDirectory scratch;
  for (const char* name : {"9", "10", "2", "x", "", "1x"}) {
    write_file(scratch / (std::string("spillway-manifest-") + name), "");
  }
  EXPECT_EQ(commit_names(posix_file_system(), scratch.path()),
            (std::vector<std::string>{"spillway-manifest-10", "spillway-manifest-9", "spillway-manifest-2"}));
}

}  // namespace
}  // namespace spillway
