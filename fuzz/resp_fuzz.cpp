// SPDX-License-Identifier: Apache-2.0
// RESP requests from anybody: nothing breaks, every bound holds, and the bytes mean the same
// however they are cut. The first byte of an input says where to cut the rest.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/resp.hpp"

namespace {

using weir::wire::resp::Arguments;
using weir::wire::resp::parse_request;
using weir::wire::resp::Parsed;
using Status = Parsed::Status;

void require(bool holds) {
  if (!holds) std::abort();
}

/// What a connection sees: the requests' arguments, and how it ends.
struct Seen {
  std::vector<std::vector<std::string>> requests;
  std::string error;
  bool operator==(const Seen&) const = default;
};

bool within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

/// Takes every request that `input` holds; what is left of it stays.
void take_all(std::string& input, std::size_t& least, Arguments& arguments, Seen& seen) {
  while (seen.error.empty() && input.size() >= least) {
    const Parsed parsed = parse_request(input, arguments);
    if (parsed.status == Status::need_more) {
      require(parsed.bytes > input.size());
      require(parsed.bytes <= weir::wire::resp::most_request_bytes);
      least = parsed.bytes;
      return;
    }
    if (parsed.status == Status::error) {
      require(!parsed.text.empty());
      seen.error = parsed.text;
      return;
    }
    require(parsed.bytes > 0 && parsed.bytes <= input.size());
    require(arguments.size() <= weir::wire::resp::most_arguments);
    // An array's arguments are views of the input; only typed lines may have text of their own.
    for (const auto argument : arguments.all()) {
      require(input[0] != '*' || within(argument, std::string_view(input).substr(0, parsed.bytes)));
    }
    seen.requests.emplace_back(arguments.all().begin(), arguments.all().end());
    input.erase(0, parsed.bytes);
    least = 0;
  }
}

Seen feed(std::string_view bytes, std::size_t piece, Arguments& arguments) {
  Seen seen;
  std::string input;
  std::size_t least = 0;
  while (!bytes.empty()) {
    input.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    take_all(input, least, arguments, seen);
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const auto arguments = std::make_unique<Arguments>();
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Seen whole = feed(bytes, bytes.size(), *arguments);
  require(whole == feed(bytes, std::size_t{data[0]} + 1, *arguments));
  if (bytes.size() <= 256) require(whole == feed(bytes, 1, *arguments));
  return 0;
}
