"""What must hold: each property beside the sentence it formalises."""
