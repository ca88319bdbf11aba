"""From stored verdicts to scored configurations: which executions pair, what is left out, what the counts say."""
