-- One customer changes the plan, one is new. Both get the time of their change.
UPDATE customers SET plan = 'enterprise', seats = 40, updated_at = now() WHERE customer_id = 'c-1003';
INSERT INTO customers VALUES ('c-1009', 'radia@example.com', NULL, 'Boston', 'team', 8, now());
SELECT count(*)::INTEGER AS customers FROM customers;
