-- Rates by degree, against Eq. 6: B / max(flows in, flows out), B = 941.5 Mb/s of a link of 1 Gb/s.
SELECT axes ->> '$."traffic.star.incoming"' AS n_in, rtrim(name, '0123456789') AS way, count(*) AS flows,
       round(avg(steady_goodput_bps) / 1e6, 1) AS mbps,
       round(941.5 / max(axes ->> '$."traffic.star.incoming"', 1), 1) AS eq6
FROM point JOIN flow ON point = number
WHERE axes ->> '$."network.nic.queue"' = 'fifo' AND axes ->> '$."network.switch.queue"' = 'fifo'
GROUP BY n_in, way;
