// SPDX-License-Identifier: Apache-2.0
#include "cli/line_reader.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

namespace weir::cli {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;

/// Unpacks one or more gzip members that stand one behind another.
class Inflater {
 public:
  Inflater() { started_ = inflateInit2(&stream_, gzip_only) == Z_OK; }
  ~Inflater() {
    if (started_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Moves on from `input` to `output`; both shrink by what was used. False where the data are
  /// damaged.
  [[nodiscard]] bool run(std::span<char>& input, std::span<char>& output) {
    if (!started_ || (member_ended_ && inflateReset(&stream_) != Z_OK)) return false;
    stream_.next_in = reinterpret_cast<Bytef*>(input.data());
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = static_cast<uInt>(output.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    input = input.last(stream_.avail_in);
    output = output.last(stream_.avail_out);
    member_ended_ = status == Z_STREAM_END;
    return status == Z_OK || status == Z_STREAM_END;
  }

  [[nodiscard]] bool between_members() const noexcept { return member_ended_; }

 private:
  static constexpr int gzip_only = MAX_WBITS + 16;

  z_stream stream_{};
  bool started_ = false;
  bool member_ended_ = false;
};

}  // namespace

/// The bytes of a file, unpacked where it begins like a gzip file.
class LineReader::Source {
 public:
  Source(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  ~Source() {
    if (owned_) ::close(descriptor_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Fills a part of `output` and returns how much: 0 at the end, or where `problem` says why not.
  [[nodiscard]] std::size_t read(std::span<char> output, std::string& problem) {
    if (!sniffed_) sniff(problem);
    if (!problem.empty()) return 0;
    if (inflater_ != nullptr) return read_packed(output, problem);
    if (input_.empty()) return read_raw(output, problem);
    const std::size_t size = std::min(input_.size(), output.size());
    std::memcpy(output.data(), input_.data(), size);
    input_ = input_.subspan(size);
    return size;
  }

 private:
  std::size_t read_raw(std::span<char> output, std::string& problem) {
    ssize_t size;
    do {
      size = ::read(descriptor_, output.data(), output.size());
    } while (size < 0 && errno == EINTR);
    if (size >= 0) return static_cast<std::size_t>(size);
    problem = std::strerror(errno);
    return 0;
  }

  /// Looks at the first two bytes, which a pipe may bring one by one.
  void sniff(std::string& problem) {
    sniffed_ = true;
    std::size_t size = 0;
    while (size < 2) {
      const auto more = read_raw(std::span(chunk_).subspan(size), problem);
      if (more == 0) break;
      size += more;
    }
    input_ = std::span(chunk_).first(size);
    if (size >= 2 && chunk_[0] == '\x1f' && chunk_[1] == '\x8b') {
      inflater_ = std::make_unique<Inflater>();
    }
  }

  std::size_t read_packed(std::span<char> output, std::string& problem) {
    auto rest = output;
    while (rest.size() == output.size()) {
      if (input_.empty()) input_ = std::span(chunk_).first(read_raw(chunk_, problem));
      if (input_.empty()) {
        if (problem.empty() && !inflater_->between_members()) problem = "the gzip data end early";
        return 0;
      }
      if (!inflater_->run(input_, rest)) {
        problem = "the gzip data are damaged";
        return 0;
      }
    }
    return output.size() - rest.size();
  }

  int descriptor_;
  bool owned_;
  bool sniffed_ = false;
  std::unique_ptr<Inflater> inflater_;
  std::array<char, chunk_bytes> chunk_;
  std::span<char> input_;  // what is left in the chunk
};

LineReader::LineReader(std::string name, std::unique_ptr<Source> source)
    : name_(std::move(name)), source_(std::move(source)) {}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

Result<LineReader> LineReader::open(const std::string& path) {
  if (path == "-") return LineReader("stdin", std::make_unique<Source>(STDIN_FILENO, false));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Error{path + ": cannot be opened: " + std::strerror(errno)};
  return LineReader(path, std::make_unique<Source>(descriptor, true));
}

/// The bytes before the next line's end, of which the first `scanned` are known not to be it.
std::size_t LineReader::line_size(std::size_t scanned) const noexcept {
  const auto end = buffer_.find('\n', begin_ + scanned);
  return end == std::string::npos ? end : end - begin_;
}

/// Reads more behind what the buffer holds. False at the end.
bool LineReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, std::exchange(begin_, 0));
  const std::size_t had = buffer_.size();
  buffer_.resize(had + chunk_bytes);
  std::string problem;
  const auto size = source_->read(std::span(buffer_).subspan(had), problem);
  buffer_.resize(had + size);
  ended_ = size == 0;
  if (!problem.empty()) error_ = name_ + ": " + problem;
  return !ended_;
}

void LineReader::skip_rest_of_line() {
  std::size_t end;
  while ((end = buffer_.find('\n', begin_)) == std::string::npos) {
    begin_ = buffer_.size();
    if (!fill()) return;
  }
  begin_ = end + 1;
}

bool LineReader::has_line() const noexcept {
  return buffer_.find('\n', begin_) != std::string::npos;
}

std::optional<LineReader::Line> LineReader::next() {
  std::size_t scanned = 0;
  std::size_t size;
  while ((size = line_size(scanned)) == std::string::npos) {
    scanned = buffer_.size() - begin_;
    if (scanned > longest_line || !fill()) break;
  }
  if (!error_.empty() || begin_ == buffer_.size()) return {};
  size = std::min(size, buffer_.size() - begin_);
  if (size > longest_line) {
    skip_rest_of_line();
    return Line{{}, ++number_, true};
  }
  auto text = std::string_view(buffer_).substr(begin_, size);
  begin_ = std::min(begin_ + size + 1, buffer_.size());
  if (text.ends_with('\r')) text.remove_suffix(1);
  return Line{text, ++number_, false};
}

}  // namespace weir::cli
