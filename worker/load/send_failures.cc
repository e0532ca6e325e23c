#include "worker/load/send_failures.h"

#include <errno.h>

namespace tutti::load {

SendFailure ClassifySendFailure(int errno_value) {
  switch (errno_value) {
    case EAGAIN:
    case EINTR:
    case ENOBUFS:
    case ENOMEM:
      return SendFailure::kTransient;
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EHOSTDOWN:
    case ENETDOWN:
    case EPERM:  // a packet filter dropped it
    case EACCES:
      return SendFailure::kUnreachable;
    default:
      return SendFailure::kFatal;
  }
}

}  // namespace tutti::load
