-- What other queues gain, all flows together, over the same point and seed with FIFO queues.
WITH total AS (
  SELECT axes ->> '$."traffic.star.incoming"' AS n_in, axes ->> '$."network.nic.queue"' AS nic,
         axes ->> '$."network.switch.queue"' AS port, seed, sum(steady_goodput_bps) AS bps
  FROM point JOIN flow ON point = number WHERE state = 'done' GROUP BY number)
SELECT t.n_in, t.nic, t.port, count(*) AS seeds, round(avg(t.bps) / 1e6, 1) AS mbps,
       round(100 * (avg(t.bps / fifo.bps) - 1), 1) AS gain_percent
FROM total t JOIN total fifo ON fifo.n_in = t.n_in AND fifo.seed = t.seed AND fifo.nic = 'fifo' AND fifo.port = 'fifo'
GROUP BY t.n_in, t.nic, t.port ORDER BY t.n_in, gain_percent;
