"""One draft token and its test, enumerated: what each rule of verification accepts, and what then comes out."""

from specmodel.sampling.verify import acceptance, output_distribution

__all__ = ["acceptance", "output_distribution"]
