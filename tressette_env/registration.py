"""Registers the environments with PettingZoo and Gymnasium; a registry that a version lacks is skipped."""

PETTINGZOO_ID = "tressette/tressette-v0"
GYMNASIUM_ID = "tressette/Tressette-v0"


def register_all() -> None:
    """Register in both registries, once."""
    _register_pettingzoo()
    _register_gymnasium()


def _register_pettingzoo() -> None:
    try:
        from pettingzoo.env_registry.registration import (  # type: ignore[import-untyped]
            aec_registry,
            register,
        )
    except ImportError:  # pettingzoo 1.26 has none
        return
    if PETTINGZOO_ID not in aec_registry:
        register("aec", PETTINGZOO_ID, entry_point="tressette_env.tressette_v0:env")


def _register_gymnasium() -> None:
    try:
        from gymnasium.envs.registration import register, registry
    except ImportError:
        return
    if GYMNASIUM_ID not in registry:
        register(
            GYMNASIUM_ID,
            entry_point="tressette_env.envs.single:TressetteSingle",
            vector_entry_point="tressette_env.envs.vector:TressetteVector",
        )
