"""Calls that an interrupt leaves."""

import os
import signal
import sys
import threading
from unittest import mock

import pytest

from spillway.objects.attempts import leave_on_interrupt


def interrupt_soon():
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_later_calls_wait_for_one_that_was_left():
    ends, failures, released = [], [], threading.Event()

    def slow():
        assert released.wait(60)
        ends.append("left")

    def later():
        try:
            leave_on_interrupt(lambda: ends.append("later"))
        except BaseException as error:
            failures.append(error)

    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        leave_on_interrupt(slow)
    threads = [threading.Thread(target=later) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(0.2)
    assert ends == []
    released.set()
    for thread in threads:
        thread.join(60)
    assert ends == ["left"] + ["later"] * 4 and failures == []


def interrupt_while_an_interrupt_is_handled(frame, event, _):
    """For sys.settrace: what leave_on_interrupt() does first after an exception is interrupted."""
    if frame.f_code is not leave_on_interrupt.__code__:
        return None
    seen = []

    def watch(_frame, event, _):
        if event == "exception":
            seen.append(event)
        elif seen and event == "line":
            sys.settrace(None)
            raise KeyboardInterrupt("the second one")
        return watch

    return watch


def test_later_calls_wait_also_where_a_second_interrupt_follows_at_once():
    ends, released = [], threading.Event()
    interrupt_soon()
    sys.settrace(interrupt_while_an_interrupt_is_handled)
    try:
        with pytest.raises(KeyboardInterrupt, match="the second one"):
            leave_on_interrupt(lambda: (released.wait(60), ends.append("left")))
    finally:
        sys.settrace(None)
    threading.Timer(0.3, released.set).start()
    leave_on_interrupt(lambda: ends.append("later"))
    assert ends == ["left", "later"]


def test_an_interrupt_before_the_thread_starts_leaves_nothing_to_wait_for():
    def interrupted(_):
        raise KeyboardInterrupt

    with mock.patch.object(threading.Thread, "start", interrupted), pytest.raises(KeyboardInterrupt):
        leave_on_interrupt(lambda: 1)
    assert leave_on_interrupt(lambda: 2) == 2


def test_a_child_process_waits_for_nothing_of_its_parent():
    released = threading.Event()
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        leave_on_interrupt(lambda: released.wait(60))
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(leave_on_interrupt(lambda: 7))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    released.set()
    assert leave_on_interrupt(lambda: 8) == 8


def test_gives_what_the_call_gives():
    assert leave_on_interrupt(lambda: 5) == 5
    with pytest.raises(ValueError, match="no"):
        leave_on_interrupt(lambda: int("no"))
