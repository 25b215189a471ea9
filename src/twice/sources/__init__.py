"""Readers of the sessions that agents leave on disk, one module for each agent."""
