-- The points that lose most against the best queues for the same flows.
WITH total AS (
  SELECT number, seed, axes ->> '$."traffic.star.incoming"' AS n_in, axes ->> '$."network.nic.queue"' AS nic,
         axes ->> '$."network.switch.queue"' AS port, sum(steady_goodput_bps) AS bps,
         max(ack_wait_s / rtt_s) AS ack_share, sum(retransmitted_segments) AS sent_again
  FROM point JOIN flow ON point = number GROUP BY number)
SELECT number, n_in, nic, port, seed, round(bps / 1e6, 1) AS mbps,
       round(100 * (1 - bps / max(bps) OVER (PARTITION BY n_in)), 1) AS lost_percent,
       round(100 * ack_share, 1) AS ack_wait_percent, sent_again
FROM total ORDER BY lost_percent DESC, number LIMIT 5;
