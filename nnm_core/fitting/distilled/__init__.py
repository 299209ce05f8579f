"""The distilled method behind the accurate preset."""
