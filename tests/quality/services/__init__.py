"""Small applications that call other services; each has a fault behind one answer."""
