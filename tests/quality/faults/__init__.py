"""An application with a fault for every oracle, and its twin without any."""
