// SPDX-License-Identifier: Apache-2.0
// A program that limits its calls through hiredis: hiredis_client HOST PORT. It prints what it was
// answered.
#include <hiredis/hiredis.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>

namespace {

struct Close {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Context = std::unique_ptr<redisContext, Close>;
using Reply = std::unique_ptr<redisReply, Close>;

bool is_throttle_reply(const Reply& reply) {
  return reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 5;
}

bool print(const Reply& reply) {
  if (!is_throttle_reply(reply)) return false;
  for (std::size_t i = 0; i < reply->elements; ++i) {
    std::printf("%s%lld", i == 0 ? "" : ",", reply->element[i]->integer);
  }
  std::printf("\n");
  return true;
}

Reply call(const Context& context, const char* command) {
  return Reply(static_cast<redisReply*>(redisCommand(context.get(), command)));
}

// 100 calls written at once; says how many were admitted.
bool run_pipeline(const Context& context) {
  constexpr int calls = 100;
  for (int i = 0; i < calls; ++i) {
    redisAppendCommand(context.get(), "CL.THROTTLE pipeline 49 1 3600");
  }
  int admitted = 0;
  for (int i = 0; i < calls; ++i) {
    void* raw = nullptr;
    if (redisGetReply(context.get(), &raw) != REDIS_OK) return false;
    const Reply reply(static_cast<redisReply*>(raw));
    if (!is_throttle_reply(reply)) return false;
    if (reply->element[0]->integer == 0) ++admitted;
  }
  std::printf("pipeline:%d/%d\n", admitted, calls);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view text = argv[2];
  int port = 0;
  std::from_chars(text.data(), text.data() + text.size(), port);
  const Context context(redisConnect(argv[1], port));
  if (!context || context->err != 0) return 1;
  const bool good = print(call(context, "CL.THROTTLE user123 15 30 60")) &&
                    print(call(context, "CL.THROTTLE user123 15 30 60 1")) && run_pipeline(context);
  return good ? 0 : 1;
}
