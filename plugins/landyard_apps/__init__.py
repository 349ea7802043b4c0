"""The methods of apps."""
