"""Recognises, resizes and cleans pictures in child processes.

This file imports nothing: a child process loads it.
"""
