"""A live server over streamable HTTP, seen from outside: `mcp:URL`, and the visit that checks what can be seen."""

from .judging import Judged, judge
from .sentences import RULES, UNSEEN, Rule, Unseen, rules_of
from .talk import ERAS, Era, Offer, Talk, begin, task_of
from .visit import Plan, Read, Record, Visit
from .wire import Reply, Wire, bad_url

__all__ = [
    "ERAS",
    "RULES",
    "UNSEEN",
    "Era",
    "Judged",
    "Offer",
    "Plan",
    "Read",
    "Record",
    "Reply",
    "Rule",
    "Talk",
    "Unseen",
    "Visit",
    "Wire",
    "bad_url",
    "begin",
    "judge",
    "rules_of",
    "task_of",
]
