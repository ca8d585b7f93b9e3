"""A target model from the text of a Hugging Face config.json: keys, layers, weights, bytes, and the model from them."""

from specmodel.serving.config_json.read import ReadModel, read_config

__all__ = ["ReadModel", "read_config"]
