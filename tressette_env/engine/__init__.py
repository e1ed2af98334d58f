"""The engine: one record dtype, scalar kernels, dealing, batched loops."""

from tressette_env.engine.cache import drop_stale

drop_stale()
