"""A phone's panel, compositor, app and finger, as they are, second after second.

Written from what Android's sources and dumps of real phones say, for a witness that shares nothing with `plugins/lab`.
Times are nanoseconds of the phone's CLOCK_MONOTONIC; `slept` turns CLOCK_BOOTTIME into it. Nothing happens by timers:
whoever asks lets the world catch up with now. Must not know what commands look like, nor how they are answered.
"""

import copy
import math
import random
import time

MS = 1_000_000
SECOND = 1_000_000_000
# Vsyncs from the one a frame is drawn for to the one it is on the screen.
DEPTH = 2
# Android's OverScroller: friction, point of inflexion, how steeply it decelerates.
FRICTION, INFLEXION, STEEP = 0.015, 0.35, math.log(0.78) / math.log(0.9)


class Touch:
    """One injected gesture: a straight line at even speed."""

    def __init__(self, down, up, distance, density):
        self.down, self.up = down, up
        self.speed = distance / max(1, up - down)  # px per ns
        slop = 8 * density / 160
        self.slop_at = down + int(slop / self.speed) if distance > slop else None
        self.caught = False
        self.slows = False  # whether an adaptive panel rests already in the second half of its fling
        self.fling_until = None

    def travelled(self, at):
        """Pixels the list has followed the finger."""
        if self.slop_at is None or at < self.slop_at:
            return 0.0
        return (min(at, self.up) - self.slop_at) * self.speed


class Fling:
    """What a list does on its own after the finger has let go."""

    def __init__(self, start, speed, density, base):
        rate = speed * SECOND
        coefficient = 9.80665 * 39.37 * density * 0.84 * FRICTION
        strength = math.log(INFLEXION * rate / coefficient)
        self.start, self.base = start, base
        self.lasts = int(1e9 * math.exp(strength / (STEEP - 1)))
        self.reach = coefficient * math.exp(STEEP / (STEEP - 1) * strength)

    def at(self, now):
        """Where the list is."""
        part = min(1.0, max(0.0, (now - self.start) / self.lasts))
        return self.base + self.reach * (1 - (1 - part) ** STEEP)


class List:
    """A page's list: follows the finger, flings, stands still. `turn` is one turn of its UI thread."""

    def __init__(self, density, whole):
        self.density, self.whole = density, whole
        self.position = 0.0
        self.touch = self.base = self.fling = None

    def turn(self, now, events, free_since):
        """Takes the events that came, moves on; whether there is something new to draw."""
        before = int(self.position) if self.whole else self.position
        for at, kind, touch in events:
            if kind == "down":
                touch.caught = self.fling is not None
                self.fling, self.touch, self.base = None, touch, self.position
            elif self.touch is touch:
                self.position = self.base + touch.travelled(touch.up)
                if touch.slop_at is not None and touch.speed * SECOND > 50 * self.density / 160:
                    # The up is handled when the thread is free for it.
                    began = max(at, free_since)
                    self.fling = Fling(began, touch.speed, self.density, self.position)
                    self.fling.slows = touch.slows
                    touch.fling_until = began + self.fling.lasts
                self.touch = None
        if self.touch is not None:
            self.position = self.base + self.touch.travelled(now)
        elif self.fling is not None:
            self.position = self.fling.at(now)
            if now >= self.fling.start + self.fling.lasts:
                self.fling = None
        return (int(self.position) if self.whole else self.position) != before

    def moves(self):
        """Whether a finger or a fling has it now."""
        return self.touch is not None or self.fling is not None


class Panel:
    """Vsync after vsync. An adaptive one rests at 60 Hz and rises under a finger."""

    def __init__(self, hz, adaptive, chance, now):
        self.hz, self.adaptive = hz, adaptive
        self.rates = sorted({60, hz}) if adaptive else [hz]
        # No panel runs at exactly what its mode says.
        self.skew = 1 + chance.uniform(-0.0022, 0.0022)
        self.ticks = [(now - int(chance.uniform(0, 16 * MS)), self.rates[0])]

    def period(self, number):
        """True length of the refresh after this tick."""
        return int(SECOND / self.ticks[number][1] * self.skew)


class World:
    """Everything of one phone that moves."""

    def __init__(self, options, slept):
        self.options, self.slept = options, slept
        self.chance = random.Random(options.seed)
        self.now = self.clock()
        self.panel = Panel(options.hz, options.adaptive, self.chance, self.now)
        self.list = List(options.density, options.pixels)
        self.frames, self.touches, self.stalls = [], [], []
        self.keys = []  # instants of key events
        self.events = []  # (at, kind, touch) not yet handled
        self.busy = []  # (from, until) of the UI thread, in order
        self.wanted = None  # tick by which something new was to be drawn
        self.first = None  # when the first finger came
        self.opening = 0  # frames a page that opens has yet to draw
        self.page_from = 0  # its first frame
        self.next_slot = 0
        self.next_tick = 0
        self.page_began = self.now
        self.moved_at = 0
        self.noise = self.chance.uniform(0.05, 0.1)
        self.epoch = self.now

    def clock(self):
        """CLOCK_MONOTONIC of the phone."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - self.slept

    def swipe(self, down, asked, distance):
        """Plans a finger; gives when it is up."""
        up = down + asked + int(self.chance.uniform(0.2, 3.0) * MS)
        touch = Touch(down, up, distance, self.options.density)
        self.touches.append(touch)
        self.first = self.first or down
        self.events += [(down, "down", touch), (up, "up", touch)]
        touch.slows = self.chance.random() < 0.5
        for number, after, length in self.options.stall:
            if number == len(self.touches):
                begin = down + int(after * MS)
                self.busy.append((begin, begin + int(length * MS)))
                self.stalls.append({"touch": number, "from": begin, "until": begin + int(length * MS)})
        return up

    def open_page(self):
        """Another page comes to the front, with a surface of its own; it draws a few times until it is complete."""
        self.catch_up()
        self.page_from, self.page_began = len(self.frames), self.now
        self.opening = self.chance.randint(3, 9)

    def catch_up(self):
        """Lets everything happen that is due by now."""
        self.now = self.clock()
        while self.panel.ticks[-1][0] <= self.now:
            number = len(self.panel.ticks) - 1
            at = self.panel.ticks[number][0]
            rate = self.rate(at)
            self.panel.ticks[number] = (at, rate)
            self.draw(number, at)
            self.panel.ticks.append((at + self.panel.period(number), rate))
        return self.now

    def rate(self, at):
        """What the panel runs at from here on."""
        if not self.panel.adaptive:
            return self.panel.hz
        low, high = self.panel.rates[0], self.panel.rates[-1]
        finger = any(t.down + 8 * MS <= at <= t.up for t in self.touches[-2:])
        if finger:
            return high
        fling = self.list.fling
        if fling is not None:
            late = at > fling.start + fling.lasts // 2
            return low if late and fling.slows else high
        current = self.panel.ticks[-1][1]
        return current if at < self.moved_at + 350 * MS else low

    def draw(self, number, at):
        """One turn of the app, at a vsync."""
        due = [event for event in self.events if event[0] <= at]
        blocked = any(b[0] <= at < b[1] for b in self.busy)
        if blocked or number < self.next_tick or (self.slow(at) and at < self.next_slot):
            # Not now; but from the first refresh on by which something new was to be seen, it is missed.
            if self.wanted is None and copy.copy(self.list).turn(at, due, 0):
                self.wanted = number
            return
        self.events = [event for event in self.events if event[0] > at]
        freed = max((b[1] for b in self.busy if b[1] <= at), default=0)
        changed = self.list.turn(at, due, freed)
        if self.list.moves() or changed:
            self.moved_at = at
        if self.opening:
            self.opening -= 1
        elif not changed:
            self.wanted = None
            return
        wanted = number if self.wanted is None else self.wanted
        self.wanted = None
        self.plan_next(number, at)
        stalled = any(b[0] < at and b[1] > self.panel.ticks[wanted][0] for b in self.busy) and wanted < number
        self.frames.append(Frame(self, number, wanted, freed if stalled else None, due))

    def slow(self, at):
        """The rate this page keeps now, if it keeps one."""
        if self.options.fall and self.first is not None:
            begin = self.first + 1500 * MS
            return 25 if begin <= at < begin + 3 * SECOND else None
        return self.options.fps

    def plan_next(self, number, at):
        """When the page draws again at the soonest."""
        fps = self.slow(at)
        if fps:
            step = SECOND / fps
            slots = math.floor((at - self.page_began) / step + 1e-9) + 1
            self.next_slot = self.page_began + int(slots * step)
        if self.options.random_5_6:
            self.next_tick = number + self.chance.choice((5, 6))

    def tick_at(self, number):
        """Begin of a refresh, also of one that is not due yet."""
        ticks = self.panel.ticks
        if number < len(ticks):
            return ticks[number][0]
        last = len(ticks) - 1
        return ticks[last][0] + (number - last) * self.panel.period(last)


class Frame:
    """One frame of the app."""

    def __init__(self, world, number, wanted, freed, events):
        self.tick, self.wanted = number, wanted
        self.vsync = world.panel.ticks[number][0]
        self.stalled = freed is not None
        cost = world.chance.uniform(0.25, 0.45)
        self.period = world.panel.period(number)
        self.hz = world.panel.ticks[number][1]
        self.start = (freed or self.vsync) + int(world.chance.uniform(0.1, 0.4) * MS)
        self.start = max(self.start, self.vsync - self.period) if freed else self.start
        self.cost = int(cost * min(self.period, 11 * MS))
        self.queued = max(self.start, self.vsync) + self.cost
        self.ready = self.queued + int(world.chance.uniform(0.4, 1.2) * MS)
        self.noise = max(-0.3, min(0.3, world.chance.gauss(0, world.noise)))
        self.input = [at for at, _, _ in events]

    def present(self, world):
        """When it was on the screen, as the fence says; the instant is final once it has passed."""
        return world.tick_at(self.tick + DEPTH) + int(self.noise * MS)
