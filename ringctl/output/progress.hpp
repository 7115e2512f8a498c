// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_PROGRESS_HPP
#define RINGCTL_OUTPUT_PROGRESS_HPP

#include <chrono>
#include <functional>
#include <string>

namespace ringctl {

/// A line on the terminal that shows the progress of a long job: from one second on, four times a
/// second, and cleared at the end.
class Progress {
 public:
  /// Draws nothing if standard error is not a terminal.
  explicit Progress(bool wanted);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws the text, which is computed only if the line is due. Cheap enough to call often.
  void show(const std::function<std::string()>& text);
  void clear();

  /// Returns the seconds since the job began.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool wanted_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point due_ = start_ + std::chrono::seconds(1);
};

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_PROGRESS_HPP
