// Packets to and from the worker and what it forked (host/protocol.h).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/worker/host/protocol.h"
#include "codegen/worker/process.hpp"

namespace assay::codegen {

struct Answer {
  worker_answer head{};
  std::string text{};
};

/// Two connected sockets of packets, this process's and the other's; empty when there are none to be had.
std::optional<std::pair<Descriptor, Descriptor>> make_channel();
/// Sends a request with descriptors; false when the other end is gone.
bool send_request(int channel, worker_request request, const std::vector<int>& descriptors);
/// The next answer; nothing when the other end is gone (`late` false) or the time is up (`late` true).
std::optional<Answer> receive_answer(int channel, std::chrono::milliseconds limit, bool& late);

}  // namespace assay::codegen
