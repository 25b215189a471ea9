"""What turns events into signals, and ideas into candidates."""
