CREATE TABLE customers AS
SELECT *, NULL::BIGINT AS mpid
FROM read_csv('customers.csv', columns = { 'customer_id': 'VARCHAR', 'email': 'VARCHAR' });

CREATE TABLE order_lines AS
SELECT * FROM read_csv('order-lines.csv', columns = {
  'order_id': 'VARCHAR', 'line': 'INTEGER', 'customer_id': 'VARCHAR', 'product': 'VARCHAR', 'title': 'VARCHAR',
  'price': 'DECIMAL(10, 2)', 'quantity': 'INTEGER', 'ordered_at': 'TIMESTAMPTZ'
});
SELECT count(DISTINCT order_id)::INTEGER AS orders FROM order_lines;
