"""Runs a command where the policy says what it can reach, and tells what was observed and what was enforced."""
