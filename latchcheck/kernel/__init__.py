"""The language of models: variables, actions, systems, properties, traces, verdicts."""
