"""What a measured engine should do, and the configuration to paste."""

from specmodel.engine.answer import EngineAnswer, answer
from specmodel.engine.run import EngineRun, assemble

__all__ = ["EngineAnswer", "EngineRun", "answer", "assemble"]
