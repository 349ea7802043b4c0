"""Storage: the database, its transactions, its schema, and worlds as one JSON document."""
