"""Decisions as data: whole games as arrays, from records or from bots, and Parquet files of them."""
