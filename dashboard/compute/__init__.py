"""Jobs and stores."""
