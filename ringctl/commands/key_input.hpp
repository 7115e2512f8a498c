// SPDX-License-Identifier: MIT
#ifndef RINGCTL_COMMANDS_KEY_INPUT_HPP
#define RINGCTL_COMMANDS_KEY_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "input/keys.hpp"
#include "model/fleet.hpp"
#include "model/keys.hpp"
#include "output/progress.hpp"

namespace ringctl {

/// Throws InputError for a file of keys that does not exist, with a hint if it is more likely a
/// key, or the second of several ids after --dead.
void check_key_files(const KeySource& source, const Fleet& fleet, bool any_dead);

/// The keys of a command, with a progress line on a terminal and warnings.
class KeyInput : private KeyObserver {
 public:
  /// `flush` is called before each read, which can block, once a key has been read. Throws
  /// InputError if a file cannot be read.
  KeyInput(const KeySource& source, bool progress, std::function<void()> flush = {});

  /// Reads the next key, as Keys::next does.
  bool next(std::string_view& key) { return keys_.next(key); }
  /// Returns next() for the model, which must not outlive this object; an empty function if the
  /// source has no keys.
  NextKey next_key();

  std::uint64_t count() const { return keys_.count(); }

 private:
  void opened(const InputFile& file) override;
  void before_read() override;
  void after_read(std::uint64_t keys_so_far, std::size_t bytes) override;
  void carriage_return(const InputFile& file) override;
  void byte_order_mark(const InputFile& file) override;
  void finished() override;

  std::string progress_line(std::uint64_t keys) const;

  bool empty_;
  Progress progress_;
  std::string name_;  // of the file
  std::uint64_t bytes_ = 0;
  std::uint64_t total_ = 0;  // bytes of the file; 0 if unknown
  std::function<void()> flush_;
  Keys keys_;
};

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_KEY_INPUT_HPP
