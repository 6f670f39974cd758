SELECT customer_id, email, mpid::VARCHAR AS mpid FROM customers ORDER BY customer_id;
