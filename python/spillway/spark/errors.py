"""Failures of a job on many machines."""


class JobError(Exception):
    """A job that cannot go on. The text names what was found, what was expected, and a remedy."""


class ProgramError(JobError):
    """The program `spillway` ended with an error.

    exit_code: that of the program (docs/errors.md); negative: the number of the signal that ended it.
    """

    def __init__(self, words: str, exit_code: int):
        super().__init__(words, exit_code)
        self.exit_code = exit_code

    def __str__(self) -> str:
        return str(self.args[0])
