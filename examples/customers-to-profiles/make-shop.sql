CREATE TABLE customers AS
SELECT * FROM read_csv('customers.csv', columns = {
  'customer_id': 'VARCHAR', 'email': 'VARCHAR', 'mobile_number': 'VARCHAR', 'city': 'VARCHAR', 'plan': 'VARCHAR',
  'seats': 'INTEGER', 'updated_at': 'TIMESTAMPTZ'
});
SELECT count(*)::INTEGER AS customers FROM customers;
