// SPDX-License-Identifier: Apache-2.0
// Stands in for libFuzzer where it is not linked: gives a fuzzer each file of its corpus once.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  replay({});
  int replayed = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      replay(read(entry.path()));
      ++replayed;
    }
  }
  std::printf("replayed %d inputs\n", replayed);
  // A fuzzer without seeds would pass whatever it does: its corpus was forgotten.
  return replayed == 0 ? 1 : 0;
}
