// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_ERRORS_HPP
#define CLOCKWISE_TESTS_SUPPORT_ERRORS_HPP

#include <catch2/catch_message.hpp>
#include <exception>    // exception
#include <string>       // string
#include <string_view>  // string_view
#include <typeinfo>     // typeid

namespace clockwise_test {

/// Whether `action` throws exactly `Error`, with a message that contains `text`.
template <class Error, class Action>
bool fails_with(std::string_view text, Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    UNSCOPED_INFO("it said: " << error.what());
    return typeid(error) == typeid(Error) &&
           std::string(error.what()).find(text) != std::string::npos;
  }
  UNSCOPED_INFO("it did not throw");
  return false;
}

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_SUPPORT_ERRORS_HPP
