"""One module for each table and figure: results as JSON, pictures and tables drawn from the JSON."""
