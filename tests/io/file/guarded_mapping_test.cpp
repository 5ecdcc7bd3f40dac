#include "io/file/guarded_mapping.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "io/file/descriptor.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

const auto kPageBytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

class Mappings : public ::testing::Test {
 protected:
  Mappings() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }  // a child in which no handler is installed yet

  // Makes a file of pages filled with 'a', 'b' and so on, and maps it.
  std::unique_ptr<GuardedMapping> map(const std::string& name, std::size_t pages) {
    std::string bytes;
    for (std::size_t page = 0; page < pages; ++page) bytes.append(kPageBytes, static_cast<char>('a' + page));
    const FileDescriptor file = open(name);
    EXPECT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    return std::make_unique<GuardedMapping>(file.get(), bytes.size());
  }
  void cut(const std::string& name, std::size_t bytes) {
    ASSERT_EQ(truncate((scratch_ / name).c_str(), static_cast<off_t>(bytes)), 0);
  }
  static std::string text_of(const GuardedMapping& mapping) { return {mapping.bytes().begin(), mapping.bytes().end()}; }
  // A page beyond the end of its file, mapped without a guard.
  const volatile char* lost_page() {
    const FileDescriptor file = open("foreign");
    return static_cast<const volatile char*>(mmap(nullptr, kPageBytes, PROT_READ, MAP_PRIVATE, file.get(), 0));
  }
  FileDescriptor open(const std::string& name) {
    return FileDescriptor(::open((scratch_ / name).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
  }

  ScratchDirectory scratch_;
};

// With a sanitizer, whose handler is the earlier one, such a program ends with an exit code.
bool is_ended_by_the_signal(int status) {
  return WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) != 0;
}

TEST_F(Mappings, ReadAsTheFile) {
  const auto mapping = map("file", 3);
  EXPECT_EQ(text_of(*mapping),
            std::string(kPageBytes, 'a') + std::string(kPageBytes, 'b') + std::string(kPageBytes, 'c'));
  EXPECT_FALSE(mapping->lost_from());
  mapping->release_pages();
  EXPECT_EQ(mapping->bytes()[2 * kPageBytes], 'c');
}

TEST_F(Mappings, ReadAsZerosFromWhereTheFileWasCut) {
  const auto mapping = map("file", 5);
  cut("file", 2 * kPageBytes + 10);
  EXPECT_EQ(text_of(*mapping), std::string(kPageBytes, 'a') + std::string(kPageBytes, 'b') + std::string(10, 'c') +
                                   std::string(3 * kPageBytes - 10, '\0'));
  EXPECT_EQ(mapping->lost_from(), 3 * kPageBytes);
  mapping->release_pages();
  EXPECT_EQ(mapping->bytes().back(), 0) << "the zeros stay";
}

TEST_F(Mappings, LoseAllBytesAfterAPageThatIsLost) {
  const auto mapping = map("file", 5);
  cut("file", 0);
  EXPECT_EQ(mapping->bytes()[4 * kPageBytes], 0);
  EXPECT_EQ(mapping->lost_from(), 4 * kPageBytes);
  EXPECT_EQ(mapping->bytes()[kPageBytes], 0);
  EXPECT_EQ(mapping->lost_from(), kPageBytes);
}

TEST_F(Mappings, AreGuardedEachByItself) {
  const auto first = map("first", 2), second = map("second", 2);
  cut("second", 0);
  EXPECT_EQ(second->bytes()[0], 0);
  EXPECT_EQ(first->bytes()[0], 'a');
  EXPECT_FALSE(first->lost_from());
}

TEST_F(Mappings, AreGuardedAlsoWhereOthersWere) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<GuardedMapping>> all;
    for (int i = 0; i < 10; ++i) all.push_back(map("file" + std::to_string(i), 2));
    for (int i = 0; i < 10; i += 2) {
      cut("file" + std::to_string(i), kPageBytes);
      EXPECT_EQ(text_of(*all[static_cast<std::size_t>(i)]), std::string(kPageBytes, 'a') + std::string(kPageBytes, 0));
    }
    for (int i = 0; i < 10; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)]->lost_from().has_value(), i % 2 == 0);
  }
}

TEST_F(Mappings, ThatAreLostGiveZerosToEveryThread) {
  for (int round = 0; round < 20; ++round) {
    const auto mapping = map("file", 26);
    std::vector<std::size_t> zeros(4);
    {
      std::vector<std::jthread> threads;
      for (std::size_t& count : zeros) {
        threads.emplace_back([&mapping, &count] {
          const volatile std::uint8_t& last = mapping->bytes()[25 * kPageBytes];
          while (last != 0) {
          }
          count = static_cast<std::size_t>(std::count(mapping->bytes().begin(), mapping->bytes().end(), 0));
        });
      }
      cut("file", 0);
    }
    for (const std::size_t count : zeros) EXPECT_EQ(count, 26 * kPageBytes);
  }
}

TEST_F(Mappings, StandInPlaceOfPagesOfTheCaller) {
  map("file", 4);
  const FileDescriptor file(::open((scratch_ / "file").c_str(), O_RDONLY));
  void* const memory = mmap(nullptr, 4 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::span bytes(static_cast<std::uint8_t*>(memory), 4 * kPageBytes);
  std::ranges::fill(bytes, 'm');
  {
    const GuardedMapping mapping(file.get(), 2 * kPageBytes, bytes.subspan(kPageBytes, 2 * kPageBytes));
    load_pages(mapping.bytes());
    EXPECT_EQ(mapping.bytes().data(), bytes.data() + kPageBytes);
    EXPECT_EQ(text_of(mapping), std::string(kPageBytes, 'c') + std::string(kPageBytes, 'd'));
    cut("file", 0);
    EXPECT_EQ(bytes[2 * kPageBytes], 0);
    EXPECT_EQ(mapping.lost_from(), 3 * kPageBytes) << "counts from the begin of the file";
    bytes[2 * kPageBytes] = 'y';
    EXPECT_EQ(bytes[2 * kPageBytes], 'y') << "stays writable";
  }
  EXPECT_EQ(bytes[kPageBytes - 1], 'm');
  EXPECT_EQ(bytes[2 * kPageBytes], 'y') << "the pages stay";
  EXPECT_EQ(bytes[3 * kPageBytes], 'm');
  munmap(memory, bytes.size());
}

TEST_F(Mappings, LeaveTheCallersPagesWhereTheyCannotStand) {
  void* const memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::span bytes(static_cast<std::uint8_t*>(memory), kPageBytes);
  bytes[0] = 'm';
  const GuardedMapping none(-1, 0, bytes);
  EXPECT_TRUE(none.bytes().empty());
  EXPECT_EQ(bytes[0], 'm');
  munmap(memory, kPageBytes);
}

TEST_F(Mappings, KeepAnEmptySpanOfWhatCannotBeMapped) {
  const GuardedMapping none(-1, 100);
  EXPECT_TRUE(none.bytes().empty());
  EXPECT_FALSE(none.lost_from());
  none.release_pages();
}

using SignalsOfOthers = Mappings;

TEST_F(SignalsOfOthers, StillEndTheProgramAtABadAccess) {
  const auto touch = [&] {
    const auto mapping = map("file", 1);
    const char lost = *lost_page();
    _exit(lost == 0 ? 0 : 1);
  };
  EXPECT_EXIT(touch(), is_ended_by_the_signal, "");
}

TEST_F(SignalsOfOthers, StillEndTheProgramWhenTheyAreSent) {
  const auto send = [&] {
    const auto mapping = map("file", 1);
    raise(SIGBUS);
    _exit(0);
  };
  EXPECT_EXIT(send(), is_ended_by_the_signal, "");
}

TEST_F(SignalsOfOthers, ReachTheHandlerThatWasThereBefore) {
  const auto touch = [&] {
    std::signal(SIGBUS, [](int) { _exit(77); });
    const auto mapping = map("file", 1);
    cut("file", 0);
    if (mapping->bytes()[0] != 0) _exit(1);
    const char lost = *lost_page();
    _exit(lost == 0 ? 0 : 1);
  };
  EXPECT_EXIT(touch(), ::testing::ExitedWithCode(77), "");
}

TEST_F(SignalsOfOthers, ReachAHandlerThatTakesTheAddress) {
  static const volatile char* expected = nullptr;
  const auto touch = [&] {
    struct sigaction action = {};
    action.sa_sigaction = [](int, siginfo_t* info, void*) { _exit(info->si_addr == expected ? 78 : 1); };
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
    const auto mapping = map("file", 1);
    expected = lost_page();
    _exit(*expected == 0 ? 0 : 1);
  };
  EXPECT_EXIT(touch(), ::testing::ExitedWithCode(78), "");
}

TEST_F(SignalsOfOthers, StayIgnoredIfTheyWere) {
  const auto send = [&] {
    std::signal(SIGBUS, SIG_IGN);
    const auto mapping = map("file", 1);
    raise(SIGBUS);
    cut("file", 0);
    _exit(mapping->bytes()[0] == 0 ? 79 : 1);
  };
  EXPECT_EXIT(send(), ::testing::ExitedWithCode(79), "");
}

}  // namespace
}  // namespace spillway
