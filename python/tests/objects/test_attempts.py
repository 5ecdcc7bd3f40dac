"""Calls that an interrupt leaves."""

import os
import signal
import threading

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
