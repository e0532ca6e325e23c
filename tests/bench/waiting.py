"""Receivers that poll before they block, tutti's and the raw loop's, beside the peers: `ways` with `receive_wait: poll`.

The three cells of `ways` in which a peer's receiver is the more wakeful one (docs/performance.md, "waiting").
"""

import ways
from ways import tcp_cell, udp_cell

CELLS = {
    "TCP 128 KiB x 1, poll": tcp_cell(1, 128 * 1024, "iperf3", "iperf", "nuttcp", wait="poll"),
    "UDP 1472 B x 1, poll": udp_cell(1, 1472, "iperf3", "iperf", "nuttcp", "sockperf", wait="poll"),
    "UDP 1472 B x 8, poll": udp_cell(8, 1472, "iperf3", "iperf", wait="poll"),
}


class Bench(ways.Bench):
    name = "waiting"
    title = "Receivers that poll before they block beside their raw loop and the peers"
    cells = CELLS
    conditions = tuple(CELLS)
