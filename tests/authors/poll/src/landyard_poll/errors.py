"""The errors of the plugin's methods."""

from landyard import CallError


class QuestionMissing(CallError):
    code = "POLL_QUESTION_MISSING"
    text = "A poll needs a question that is not blank."


class ChoicesRefused(CallError):
    code = "POLL_CHOICES_REFUSED"
    text = "Choices must not be blank, and each must be there once only."


class TooManyChoices(CallError):
    code = "POLL_TOO_MANY_CHOICES"
    text = "A poll of this service may not have that many choices."


class EndPassed(CallError):
    code = "POLL_END_PASSED"
    text = "The end of the poll has passed already. Send one that lies ahead, or none."


class PollNotFound(CallError):
    code = "POLL_NOT_FOUND"
    text = "There is no poll with this id."


class PollIsClosed(CallError):
    code = "POLL_IS_CLOSED"
    text = "The poll is closed already."
