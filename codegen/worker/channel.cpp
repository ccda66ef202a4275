// sendmsg and recvmsg.
#include "codegen/worker/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::codegen {

std::optional<std::pair<Descriptor, Descriptor>> make_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

bool send_request(int channel, worker_request request, const std::vector<int>& descriptors) {
  iovec part{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * most_descriptors)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const std::size_t bytes = sizeof(int) * descriptors.size();
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(head), descriptors.data(), bytes);
  }
  for (;;) {
    if (::sendmsg(channel, &message, MSG_NOSIGNAL) >= 0) return true;
    if (errno != EINTR) return false;
  }
}

std::optional<Answer> receive_answer(int channel, std::chrono::milliseconds limit, bool& late) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + limit;
  late = false;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd p{channel, POLLIN, 0};
    const int ready = ::poll(&p, 1, static_cast<int>(std::clamp<long long>(left, 0, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && left > 0) continue;
    if (ready == 0) late = true;
    if (ready <= 0) return std::nullopt;
    char packet[sizeof(worker_answer) + most_text];
    const ssize_t got = ::recv(channel, packet, sizeof packet, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < static_cast<ssize_t>(sizeof(worker_answer))) return std::nullopt;
    Answer answer;
    std::memcpy(&answer.head, packet, sizeof answer.head);
    answer.text.assign(packet + sizeof answer.head, packet + got);
    return answer;
  }
}

}  // namespace assay::codegen
