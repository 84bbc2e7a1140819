// SPDX-License-Identifier: Apache-2.0
// One class for both kinds of streams: what differs is TLS's handshake.
#include "redis/stream.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <vector>

namespace weir::redis {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;
using Socket = asio::basic_stream_socket<Protocol, asio::io_context::executor_type>;
using TlsSocket = asio::ssl::stream<Socket>;

struct TlsFiles::Context {
  asio::ssl::context context{asio::ssl::context::tls_client};

  explicit Context(const Tls& tls) {
    context.set_verify_mode(asio::ssl::verify_peer);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    tls.ca_file.empty() ? context.set_default_verify_paths()
                        : context.load_verify_file(tls.ca_file);
    if (tls.cert_file.empty()) return;
    context.use_certificate_chain_file(tls.cert_file);
    context.use_private_key_file(tls.key_file, asio::ssl::context::pem);
  }
};

TlsFiles::TlsFiles(const Tls& tls) : tls_(tls) {}
TlsFiles::~TlsFiles() = default;

namespace {

/// What a stream is made of and how its TLS is set up; the rest is the same.
template <typename Layer>
class StreamOf final : public Stream {
 public:
  template <typename... Arguments>
  StreamOf(asio::io_context& io, Done done, Arguments&&... arguments)
      : layer_(std::forward<Arguments>(arguments)...),
        timer_(io),
        resolver_(io.get_executor()),
        dialed_(std::move(done)) {}

  void connect(const Address& address, Duration limit) {
    timer_.expires_after(limit);
    timer_.async_wait([self = self()](error_code error) {
      if (!error) self->finish("no connection in time");
    });
    error_code no_literal;
    const auto literal = asio::ip::make_address(address.host, no_literal);
    if (address.port == 0) {
      connect_to_socket(address.host);
    } else if (!no_literal) {
      connect_to({tcp::endpoint(literal, address.port)});
    } else {
      resolve(address);
    }
  }

  void fail_soon(std::string why) {
    asio::post(timer_.get_executor(), [self = self(), why = std::move(why)] { self->finish(why); });
  }

  void read(std::span<char> room, DoneWith done) override {
    layer_.async_read_some(
        asio::buffer(room.data(), room.size()),
        [self = self(), done = std::move(done)](error_code error, std::size_t count) {
          if (!self->closed_) done(error ? error.message() : std::string(), count);
        });
  }

  void write(std::string_view bytes, Done done) override {
    asio::async_write(layer_, asio::buffer(bytes.data(), bytes.size()),
                      [self = self(), done = std::move(done)](error_code error, std::size_t) {
                        if (!self->closed_) done(error ? error.message() : std::string());
                      });
  }

  void close() noexcept override {
    closed_ = true;
    dialed_ = nullptr;
    timer_.cancel();
    resolver_.cancel();
    error_code ignored;  // it is gone either way
    layer_.lowest_layer().close(ignored);
  }

  Layer& layer() noexcept { return layer_; }

 private:
  using Resolver = asio::ip::basic_resolver<tcp, asio::io_context::executor_type>;

  std::shared_ptr<StreamOf> self() {
    return std::static_pointer_cast<StreamOf>(this->shared_from_this());
  }

  void connect_to_socket(const std::string& path) {
    if (path.size() >= sizeof(sockaddr_un::sun_path)) return fail_soon("its path is too long");
    connect_to({asio::local::stream_protocol::endpoint(path)});
  }

  void resolve(const Address& address) {
    resolver_.async_resolve(address.host, std::to_string(address.port),
                            [self = self()](error_code error, const auto& results) {
                              if (error) return self->finish(error.message());
                              std::vector<Protocol::endpoint> endpoints;
                              for (const auto& result : results) {
                                endpoints.emplace_back(result.endpoint());
                              }
                              self->connect_to(std::move(endpoints));
                            });
  }

  void connect_to(std::vector<Protocol::endpoint> endpoints) {
    if (closed_) return;
    // They must outlive the attempts.
    const auto kept = std::make_shared<std::vector<Protocol::endpoint>>(std::move(endpoints));
    asio::async_connect(layer_.lowest_layer(), kept->begin(), kept->end(),
                        [self = self(), kept](error_code error, auto) {
                          if (error) return self->finish(error.message());
                          self->connected();
                        });
  }

  void connected() {
    if (closed_) return;
    const int on = 1;  // fails on a unix socket, which never holds bytes back
    ::setsockopt(layer_.lowest_layer().native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if constexpr (std::is_same_v<Layer, TlsSocket>) {
      layer_.async_handshake(asio::ssl::stream_base::client, [self = self()](error_code error) {
        self->finish(error ? "TLS: " + error.message() : std::string());
      });
    } else {
      finish("");
    }
  }

  void finish(std::string_view error) {
    if (closed_ || !dialed_) return;
    timer_.cancel();
    const Done done = std::exchange(dialed_, nullptr);
    if (!error.empty()) close();
    done(error);
  }

  Layer layer_;
  asio::steady_timer timer_;
  Resolver resolver_;
  Done dialed_;
  bool closed_ = false;
};

void name_server(TlsSocket& socket, const std::string& name) {
  socket.set_verify_callback(asio::ssl::host_name_verification(name));
  error_code is_literal;
  asio::ip::make_address(name, is_literal);
  // Only names are asked for: RFC 6066 knows no addresses there.
  if (is_literal) SSL_set_tlsext_host_name(socket.native_handle(), name.c_str());
}

}  // namespace

std::shared_ptr<Stream> Stream::dial(asio::io_context& io, const Address& address, TlsFiles* tls,
                                     Duration limit, Done done) {
  if (tls == nullptr) {
    const auto stream = std::make_shared<StreamOf<Socket>>(io, std::move(done), io);
    stream->connect(address, limit);
    return stream;
  }
  try {
    if (!tls->context_) tls->context_ = std::make_unique<TlsFiles::Context>(tls->tls_);
    const auto stream = std::make_shared<StreamOf<TlsSocket>>(io, done, io, tls->context_->context);
    name_server(stream->layer(),
                tls->tls_.server_name.empty() ? address.host : tls->tls_.server_name);
    stream->connect(address, limit);
    return stream;
  } catch (const boost::system::system_error& error) {  // of the files
    const auto stream = std::make_shared<StreamOf<Socket>>(io, std::move(done), io);
    stream->fail_soon(std::string("TLS: ") + error.what());
    return stream;
  }
}

}  // namespace weir::redis
