"""Counterfactual regret: tabular on compiled game trees, sampled by walks over the engine, exact best responses."""
