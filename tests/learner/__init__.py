"""The example learner. It needs PyTorch, so these tests run where MEXTRAIN_LEARNER is set: `make learner`."""
