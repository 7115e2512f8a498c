// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_PROGRESS_HPP
#define RINGCTL_OUTPUT_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringctl {

/// A line on the terminal that shows the progress of a long job: after one second, four times a
/// second, and cleared at the end.
class Progress {
 public:
  /// Draws nothing if standard error is not a terminal.
  explicit Progress(bool wanted);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `total` is 0 if it is unknown.
  void begin_file(std::string_view name, std::uint64_t total);
  void show(std::uint64_t keys, std::uint64_t bytes_more);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool wanted_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point due_ = start_ + std::chrono::seconds(1);
  std::string name_;
  std::uint64_t bytes_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_PROGRESS_HPP
