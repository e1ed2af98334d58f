"""Neural counterfactual regret: Deep CFR and ESCHER, sampled in lock step on the batched engine."""
