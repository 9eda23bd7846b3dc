"""Small applications whose pages are made by scripts; each has a fault that only these reach."""
