"""Repeats what a store refuses for the moment, and says in words why something cannot be done."""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from ..errors import InputOutputError

Result = TypeVar("Result")

READ_ATTEMPTS = 5
PUT_ATTEMPTS = 3  # of which each is long: the library repeats parts of it itself
_FIRST_WAIT = 0.25  # seconds; each wait is twice as long as the one before
_LOOK = 0.1  # seconds between two looks at `stopped`
_OF_CREDENTIALS = ("ACCESS_DENIED", "SIGNATURE_DOES_NOT_MATCH", "INVALID_ACCESS_KEY", "INVALID_CLIENT_TOKEN", "EXPIRED_TOKEN",
                   "UNRECOGNIZED_CLIENT", "HTTP status 401", "HTTP status 403")  # fmt: skip
_FINAL = ("NO_SUCH_BUCKET", "NO_SUCH_KEY", "HTTP status 301", "HTTP status 404", "HTTP status 412")


class ObjectChanged(InputOutputError):
    """An object is not what it was when the job began."""


class Stopped(Exception):
    """The job ends, so that nobody waits for the store any more."""


def _never() -> bool:
    return False


# Whether a signal ends the process; the program sets it, whose signals Python does not see.
interrupted: Callable[[], bool] = _never
_of_thread = threading.local()


@contextlib.contextmanager
def regardless_of_signals() -> Iterator[None]:
    """Lets this thread end what it has begun, with other attempts too, after a signal to the program."""
    _of_thread.goes_on = True
    try:
        yield
    finally:
        _of_thread.goes_on = False


def _is_interrupted() -> bool:
    return interrupted() and not getattr(_of_thread, "goes_on", False)


def remedy_of(error: BaseException) -> str:
    words = str(error)
    if isinstance(error, PermissionError) or any(code in words for code in _OF_CREDENTIALS):
        return ("check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile), and whether they may do "
                "this in the bucket")  # fmt: skip
    if isinstance(error, FileNotFoundError) or "NO_SUCH" in words:
        return "check the spelling of bucket and key"
    return "check the network and the endpoint (AWS_ENDPOINT_URL), and run the job again"


def is_final(error: BaseException) -> bool:
    """Whether another attempt would end the same way."""
    if isinstance(error, (FileNotFoundError, PermissionError, ObjectChanged, Stopped)):
        return True
    return any(code in str(error) for code in (*_OF_CREDENTIALS, *_FINAL))


def repeat(
    call: Callable[[], Result], what: str, stopped: Callable[[], bool] = _never, attempts: int = READ_ATTEMPTS
) -> Result:
    """The result of call(), which is tried up to `attempts` times while it raises OSError.

    what: such as "s3://bucket/key: cannot read bytes 0 to 4095". Raises InputOutputError with it, the cause and a remedy;
    FileNotFoundError, ObjectChanged as they are; Stopped once stopped() is true.
    """
    for number in range(1, attempts + 1):
        if stopped() or _is_interrupted():
            raise Stopped("the job was stopped")
        try:
            return call()
        except (FileNotFoundError, ObjectChanged):
            raise
        except OSError as error:
            if not is_final(error) and number < attempts:
                _wait(_FIRST_WAIT * 2 ** (number - 1) * random.uniform(0.5, 1.5), stopped)
                continue
            tried = f" ({number} attempts)" if number > 1 else ""
            raise InputOutputError(f"{what}{tried}: {str(error).strip().rstrip('.')}; {remedy_of(error)}") from error
    raise AssertionError("the loop returns or raises")


class _Call:
    """A call in a thread of its own, which may go on though nobody waits for it."""

    def __init__(self, call: Callable[[], object]):
        self.owner = threading.get_ident()
        self.is_left = False
        # Not the end of the thread: Python 3.11 and 3.12 take a thread for dead whose join() an interrupt ended.
        self.ended = threading.Event()
        self.result: object = None
        self.error: BaseException | None = None
        self._call = call
        self.thread = threading.Thread(target=self._work, name="spillway-put")  # a script that ends waits for it

    def _work(self) -> None:
        try:
            self.result = self._call()
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()

    def has_begun(self) -> bool:
        """Whether there is a thread: not if an interrupt came before its start. Waits for one that is starting."""
        end = time.monotonic() + _FIRST_STEPS
        while self.thread.ident is None and time.monotonic() < end:
            time.sleep(_FIRST_STEPS / 100)
        return self.thread.ident is not None


_FIRST_STEPS = 1.0  # seconds
_calls: list[_Call] = []  # that somebody waits for, or has left
os.register_at_fork(after_in_child=_calls.clear)  # the threads are the parent's


def leave_on_interrupt(call: Callable[[], Result]) -> Result:
    """The result of call(), which runs in a thread of its own: KeyboardInterrupt comes out at once, and Stopped within
    _LOOK seconds of a signal to the program.

    The call then goes on unseen, until it ends or the process does. The next call of this function waits for it, so that a
    put that was left does not replace a later one.
    """
    wait_for_left_calls()
    begun = _Call(call)
    _calls.append(begun)  # now: a second interrupt may come before anything else is done about the first
    try:
        begun.thread.start()
        _wait_for(begun.ended)
    except BaseException:
        begun.is_left = True
        raise
    _forget(begun)
    if begun.error is not None:
        raise begun.error
    return cast(Result, begun.result)


def _left_calls() -> list[_Call]:
    """Those that others have left, and all of this thread, which waits for none of them any more."""
    return [call for call in _calls if call.is_left or call.owner == threading.get_ident()]


def _forget(call: _Call) -> None:
    with contextlib.suppress(ValueError):  # another thread has waited too
        _calls.remove(call)


def wait_for_left_calls() -> None:
    """Waits until the calls have ended that leave_on_interrupt() left. Raises Stopped after a signal to the program."""
    for call in _left_calls():
        if call.has_begun():
            _wait_for(call.ended)
        _forget(call)


def end_left_calls() -> None:
    """Waits until the calls have ended that leave_on_interrupt() left, also after a signal to the program."""
    for call in _left_calls():
        if call.has_begun():
            call.ended.wait()


def _wait_for(ended: threading.Event) -> None:
    while not ended.wait(_LOOK):
        if _is_interrupted():
            raise Stopped("the job was stopped")


def _wait(seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and not stopped() and not _is_interrupted():
        time.sleep(min(left, _LOOK))
