// SPDX-License-Identifier: Apache-2.0
#include "front/http_request.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>
#include <vector>

namespace weir::front {
namespace {

using Step = RequestReader::Step;

/// What a stream of bytes was read as: each request on a line of its own, then the fault, if any.
class Stream {
 public:
  /// Hands in `bytes` as a connection would: what is not eaten comes again, at another address.
  void receive(std::string_view bytes) {
    input_ += bytes;
    while (!ended_) {
      const std::string copy = input_;
      std::size_t eaten = 0;
      const auto step = reader_.read(copy, eaten);
      EXPECT_LE(eaten, copy.size());
      if (step == Step::request) log_ += describe(reader_.request());
      if (step == Step::fault) {
        log_ += "fault " + std::to_string(reader_.fault().status) + "\n";
        ended_ = true;
      }
      if (reader_.take_continue()) log_ += "continue\n";
      input_.erase(0, eaten);
      if (step == Step::need_more) break;
    }
    EXPECT_TRUE(ended_ || input_.size() < RequestReader::most_head_bytes);
  }

  [[nodiscard]] const std::string& log() const { return log_; }
  [[nodiscard]] const RequestReader& reader() const { return reader_; }

 private:
  static std::string describe(const HttpRequest& request) {
    std::string text(request.method);
    text += ' ';
    text += request.target;
    for (const auto& [name, value] : request.headers) {
      text += '|';
      text += name;
      text += '=';
      text += value;
    }
    text += '|';
    text += request.body;
    text += request.keep_alive ? "|keep" : "|close";
    return text + (request.http_1_0 ? "|1.0\n" : "\n");
  }

  BodyBudget budget_{std::size_t{8} << 20};
  RequestReader reader_{budget_};
  std::string input_;
  std::string log_;
  bool ended_ = false;
};

std::string read(std::string_view bytes) {
  Stream stream;
  stream.receive(bytes);
  return stream.log();
}

TEST(HttpRequest, ARequestWithoutABody) {
  EXPECT_EQ(read("GET /a?b=c HTTP/1.1\r\nHost: h\r\nX-A:  v \r\n\r\n"),
            "GET /a?b=c|Host=h|X-A=v||keep\n");
}

TEST(HttpRequest, ABodyOfKnownLength) {
  EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET"),
            "POST /|Host=h|Content-Length=3|abc|keep\n");
}

TEST(HttpRequest, AChunkedBody) {
  EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n"),
            "POST /|Host=h|Transfer-Encoding=chunked|abcde|keep\n");
}

TEST(HttpRequest, SeveralRequestsInOneRead) {
  EXPECT_EQ(read("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n"
                 "\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n"),
            "GET /1|Host=h||keep\nGET /2|Host=h||keep\nGET /3|Host=h||keep\n");
}

TEST(HttpRequest, WhetherTheConnectionStays) {
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"),
            "GET /|Host=h|Connection=close||close\n");
  EXPECT_EQ(read("GET / HTTP/1.0\r\n\r\n"), "GET /||close|1.0\n");
  EXPECT_EQ(read("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"),
            "GET /|Connection=Keep-Alive||keep|1.0\n");
}

TEST(HttpRequest, AContinueIsAskedForOnlyWhileTheBodyIsAwaited) {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  Stream late;
  late.receive(head);
  EXPECT_EQ(late.log(), "continue\n");
  late.receive("o");
  late.receive("k");
  EXPECT_EQ(late.log(), "continue\nPOST /|Host=h|Expect=100-continue|Content-Length=2|ok|keep\n");
  EXPECT_EQ(read(head + "ok"), "POST /|Host=h|Expect=100-continue|Content-Length=2|ok|keep\n");
}

TEST(HttpRequest, WhatCouldSmuggleARequestIsRefused) {
  const auto head = [](const std::string& fields) {
    return read("POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\nabc");
  };
  const std::string refused = "fault 400\n";
  EXPECT_EQ(head("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), refused);
  EXPECT_EQ(head("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"), refused);
  EXPECT_EQ(head("Content-Length: 3\r\nContent-Length: 3\r\n"), refused);
  EXPECT_EQ(head("Content-Length: 3, 3\r\n"), refused);
  EXPECT_EQ(head("Content-Length: +3\r\n"), refused);
  EXPECT_EQ(head("Content-Length: -3\r\n"), refused);
  EXPECT_EQ(head("Content-Length: 0x3\r\n"), refused);
  EXPECT_EQ(head("Content-Length:\r\n"), refused);
  EXPECT_EQ(head("Content-Length: 99999999999999999999\r\n"), refused);
  EXPECT_EQ(head("Transfer-Encoding: gzip, chunked\r\n"), refused);
  EXPECT_EQ(head("Transfer-Encoding: identity\r\n"), refused);
  EXPECT_EQ(head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), refused);
  EXPECT_EQ(head("Transfer-Encoding: xchunked\r\n"), refused);
  EXPECT_EQ(head("Content-Length : 3\r\n"), refused);
  EXPECT_EQ(head(" Content-Length: 3\r\n"), refused);
  EXPECT_EQ(head("X: a\r\n b\r\n"), refused);
  EXPECT_EQ(head("X:\r\n b\r\n"), refused);
  EXPECT_EQ(head("X: a\nY: b\r\n"), refused);
  EXPECT_EQ(head("X: a\rY: b\r\n"), refused);
  EXPECT_EQ(head(std::string("X: a\0b\r\n", 8)), refused);
  EXPECT_EQ(read("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), refused);
}

TEST(HttpRequest, TheHostIsNamedOnce) {
  EXPECT_EQ(read("GET / HTTP/1.1\r\n\r\n"), "fault 400\n");
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), "fault 400\n");
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost:\r\n\r\n"), "GET /|Host=||keep\n");
}

TEST(HttpRequest, WhatIsNotHttpIsRefused) {
  for (const std::string_view bytes :
       {"\x16\x03\x01\x02", "GET\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "G\"T / HTTP/1.1\r\n\r\n",
        "GET /\x7f HTTP/1.1\r\n\r\n", "*1\r\n$4\r\nPING\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nNo colon\r\n\r\n", "GET / HTTP/1.1\r\n: empty\r\n\r\n"}) {
    EXPECT_EQ(read(bytes), "fault 400\n") << bytes;
  }
  EXPECT_EQ(read("GET / HTTP/1.1 \r\n\r\n"), "fault 505\n");
  EXPECT_EQ(read("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "fault 505\n");
  EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"),
            "fault 400\n");
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: h\r\nExpect: a-miracle\r\n\r\n"), "fault 417\n");
}

TEST(HttpRequest, SizesAreBounded) {
  const std::string begin = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(read(begin + "X: " + std::string(40'000, 'x')), "fault 431\n");
  EXPECT_EQ(read(begin + "X: " + std::string(40'000, 'x') + "\r\n\r\n"), "fault 431\n");
  EXPECT_EQ(read("GET /" + std::string(40'000, 'x')), "fault 431\n");

  std::string many = begin;
  for (int i = 0; i < 127; ++i) many += "A: b\r\n";
  EXPECT_EQ(read(many + "\r\n").substr(0, 4), "POST");
  EXPECT_EQ(read(many + "A: b\r\n\r\n"), "fault 431\n");

  EXPECT_EQ(read(begin + "Content-Length: 1048577\r\n\r\n"), "fault 413\n");
  EXPECT_EQ(read(begin + "Transfer-Encoding: chunked\r\n\r\nfffff\r\n" + std::string(0xfffff, 'x') +
                 "\r\n2\r\n"),
            "fault 413\n");
  EXPECT_EQ(read(begin + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(40'000, 'x')),
            "fault 431\n");
  EXPECT_EQ(read(begin + "Transfer-Encoding: chunked\r\n\r\n0\r\nT: " + std::string(40'000, 'x')),
            "fault 431\n");
}

TEST(HttpRequest, AHeadOfJustTheLargestSizeIsTaken) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\nX: ";
  const auto sized = [&begin](std::size_t size) {
    return begin + std::string(size - begin.size() - 4, 'x') + "\r\n\r\n";
  };
  for (const std::size_t split : {0u, 10u, 20'000u, 32'767u}) {
    Stream fits;
    const auto largest = sized(RequestReader::most_head_bytes);
    fits.receive(largest.substr(0, split));
    fits.receive(largest.substr(split));
    EXPECT_EQ(fits.log().substr(0, 5), "GET /") << split;

    Stream larger;
    const auto too_large = sized(RequestReader::most_head_bytes + 1);
    larger.receive(too_large.substr(0, split));
    larger.receive(too_large.substr(split));
    EXPECT_EQ(larger.log(), "fault 431\n") << split;
  }
}

TEST(HttpRequest, BodiesThatAreHalfReadShareABudget) {
  BodyBudget budget(10);
  RequestReader first(budget);
  RequestReader second(budget);
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n";
  std::size_t eaten = 0;
  EXPECT_EQ(first.read(head + "1234567", eaten), Step::need_more);
  EXPECT_EQ(budget.left(), 3u);
  EXPECT_FALSE(first.idle());
  EXPECT_EQ(second.read(head + "1234", eaten), Step::fault);
  EXPECT_EQ(second.fault().status, 503);
  EXPECT_EQ(first.read("8", eaten), Step::request);
  EXPECT_EQ(first.request().body, "12345678");
  EXPECT_EQ(first.read("", eaten), Step::need_more);
  EXPECT_EQ(budget.left(), 10u);
  EXPECT_TRUE(first.idle());
  {
    RequestReader gone(budget);
    EXPECT_EQ(gone.read(head + "1234567", eaten), Step::need_more);
  }
  EXPECT_EQ(budget.left(), 10u);
  RequestReader whole(budget);  // a body that is there as a whole is not copied
  EXPECT_EQ(
      whole.read("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 12\r\n\r\n123456789012", eaten),
      Step::request);
}

TEST(HttpRequest, ThePathOfEveryFormOfTarget) {
  const std::map<std::string_view, std::string_view> paths{
      {"/a/b", "/a/b"},  {"/a?b", "/a"},      {"/", "/"}, {"http://h/a?b=/c", "/a"},
      {"http://h", "/"}, {"http://h?q", "/"}, {"*", "*"}, {"/http://h/a", "/http://h/a"}};
  for (const auto& [target, path] : paths) {
    HttpRequest request;
    request.target = target;
    EXPECT_EQ(request.path(), path) << target;
  }
}

const std::vector<std::string> pieces{
    "GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
    "\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n0123456789",
    "POST /c HTTP/1.1\r\nhost: h\r\nTransfer-Encoding: "
    "chunked\r\n\r\n4\r\nab\r\n\r\n1\r\nc\r\n0\r\n\r\n",
    "PUT /d HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    "GET /bad HTTP/1.1\r\nHost: h\r\nA b\r\n\r\n",
    "GET /e HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    "POST /f HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"};

TEST(HttpRequest, AnySplitOfTheBytesReadsTheSame) {
  EXPECT_TRUE(rc::check([] {
    std::string bytes;
    for (const auto at : *rc::gen::container<std::vector<std::size_t>>(
             rc::gen::inRange<std::size_t>(0, pieces.size()))) {
      bytes += pieces[at];
    }
    Stream split;
    for (std::string_view rest = bytes; !rest.empty();) {
      const auto size = std::min<std::size_t>(*rc::gen::inRange<std::size_t>(1, 40), rest.size());
      split.receive(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    RC_ASSERT(split.log() == read(bytes));
  }));
}

TEST(HttpRequest, OneByteAtATimeReadsTheSame) {
  for (const auto& piece : pieces) {
    Stream split;
    for (const char byte : piece) split.receive({&byte, 1});
    EXPECT_EQ(split.log(), read(piece));
  }
}

}  // namespace
}  // namespace weir::front
