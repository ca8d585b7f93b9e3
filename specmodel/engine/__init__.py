"""What a measured engine should do, and the configuration to paste."""
