"""What every lesson is made of: parts that wait for a guess, things to try, the worksheet."""
