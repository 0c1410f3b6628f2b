"""What the programs of a phone print: `dumpsys` and its services, `input`, `am`, `cmd`, `getprop`, and the rest.

Formats of each Android release as its sources and real dumps show them. Must not decide what happens: `model.py` does.
"""

import time

from model import DEPTH, MS, SECOND

PENDING = 9223372036854775807
SF_ROWS, HWUI_ROWS = 127, 120
ACTIVITY = {"shop://feed": ".FeedActivity"}

OLD = "Flags,IntendedVsync,Vsync,OldestInputEvent,NewestInputEvent,HandleInputStart,AnimationStart,PerformTraversalsStart,DrawStart,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted"
SWAPPED = "Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,InputEventId,HandleInputStart,AnimationStart,PerformTraversalsStart,DrawStart,FrameDeadline,FrameInterval,FrameStartTime,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,DequeueBufferDuration,QueueBufferDuration,GpuCompleted,SwapBuffersCompleted,DisplayPresentTime"


def columns(sdk):
    """Header of framestats."""
    if sdk <= 25:
        return OLD
    if sdk <= 30:
        return OLD + ",DequeueBufferDuration,QueueBufferDuration" + (",GpuCompleted" if sdk == 30 else "")
    if sdk <= 33:
        return SWAPPED + ("" if sdk == 31 else ",CommandSubmissionCompleted")
    agreed = SWAPPED.replace("FrameInterval,FrameStartTime", "FrameStartTime,FrameInterval,WorkloadTarget")
    return agreed + ",CommandSubmissionCompleted"


class Programs:
    """One phone's programs. Each gives status, output, complaint."""

    def __init__(self, world, options):
        self.world, self.options = world, options
        self.app = options.app
        self.running = self.activity = self.usage = None
        # Of the app's process: the frames before it, and when it began.
        self.born, self.born_at = 0, 0
        self.props = {
            "ro.product.model": options.model,
            "ro.product.manufacturer": "Outside",
            "ro.build.version.sdk": str(options.sdk),
            "ro.build.version.release": str({24: 7, 25: 7, 26: 8, 27: 8, 28: 9, 29: 10, 30: 11, 31: 12, 32: 12}.get(options.sdk, options.sdk - 20)),
            "ro.build.fingerprint": f"outside/phone/phone:{options.sdk}/O1/1:user/release-keys",
            "sys.boot_completed": "1",
        }
        self.layer_number = 71
        self.log = []
        self.keys = []

    def ask(self, argv):
        """Runs one program."""
        run = getattr(self, argv[0].replace("-", "_"), None)
        return run(argv[1:]) if run else (127, "", f"{argv[0]}: inaccessible or not found\n")

    # What says who the phone is, and how it stands.

    def getprop(self, args):
        return 0, self.props.get(args[0], "") + "\n", ""

    def setprop(self, args):
        self.props[args[0]] = args[1]
        return 0, "", ""

    def settings(self, args):
        known = {"low_power": "0"}
        if args[0] == "list":
            return 0, "".join(f"{name}={value}\n" for name, value in known.items()), ""
        return 0, known.get(args[2], "null") + "\n", ""

    def wm(self, args):
        said = {"size": f"Physical size: {self.options.width}x{self.options.height}\n", "density": f"Physical density: {self.options.density}\n"}
        return 0, said.get(args[0], ""), ""

    def svc(self, _args):
        return 0, "", ""

    def pidof(self, args):
        pids = {"com.android.systemui": 1811, self.app: self.running}
        found = [str(pids[name]) for name in args if pids.get(name)]
        return (0, " ".join(found) + "\n", "") if found else (1, "", "")

    def pm(self, args):
        return self.cmd(["package"] + args)

    def cmd(self, args):
        if args[:3] == ["package", "list", "packages"]:
            return 0, f"package:{self.app} uid:10231\n", ""
        if args[:2] == ["package", "resolve-activity"]:
            return 0, f"priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n{self.app}/.MainActivity\n", ""
        return 255, "", f"cmd: Can't find service: {args[0]}\n"

    def am(self, args):
        if args[0] == "force-stop":
            self.running = self.activity = None
            return 0, "", ""
        cold = self.running is None
        self.running = self.running or 9000 + int(self.world.chance.uniform(0, 900))
        if cold:
            self.born, self.born_at = len(self.world.frames), self.world.clock()
        link = args[args.index("-d") + 1] if "-d" in args else ""
        self.activity = ACTIVITY.get(link, ".MainActivity")
        self.layer_number += 5
        took = 420 if cold else 110
        time.sleep(0.6 * took / 1000)
        with self.world.lock:
            self.world.open_page()
        time.sleep(0.4 * took / 1000)
        state = f"LaunchState: {'COLD' if cold else 'WARM'}\n" if self.options.sdk >= 29 else f"ThisTime: {took}\n"
        return 0, f"Starting: Intent {{ cmp={self.app}/{self.activity} }}\nStatus: ok\n{state}Activity: {self.app}/{self.activity}\nTotalTime: {took}\nWaitTime: {took + 5}\nComplete\n", ""

    def perfetto(self, _args):
        if self.options.sdk < 28:
            return 127, "", "perfetto: inaccessible or not found\n"
        return 1, "", "[614.250] perfetto_cmd.cc:1165 Could not connect to the traced socket /dev/socket/traced_consumer\n"

    def logcat(self, _args):
        return 0, "".join(f"{at / 1e9:12.3f}  1811  1811 I {tag}: {text}\n" for at, tag, text in self.log), ""

    def log_(self, args):
        self.log.append((self.world.clock(), args[args.index("-t") + 1], args[-1]))
        return 0, "", ""

    # Fingers.

    def input(self, args):
        options, world = self.options, self.world
        args = args[1:] if args and args[0] == "touchscreen" else args
        before, after = (world.chance.uniform(*span) / 1000 for span in (options.before, options.after))
        began = world.clock()
        down = began + int(before * SECOND)
        if args[0] == "swipe":
            x, y, to_x, to_y = (float(word) for word in args[1:5])
            asked = int(args[5]) if len(args) > 5 else 300
            with world.lock:
                until = world.swipe(down, asked * MS, ((x - to_x) ** 2 + (y - to_y) ** 2) ** 0.5)
        elif args[0] in ("keyevent", "tap", "text"):
            until = down
            if args[0] == "keyevent":
                self.keys.append(down)
                if args[1:] == ["KEYCODE_HOME"]:
                    self.activity = None
        else:
            return 255, "", f"Error: Unknown command: {args[0]}\n"
        time.sleep(max(0, (until - world.clock()) / SECOND) + after)
        return 0, "", ""

    # dumpsys

    def dumpsys(self, args):
        services = {"SurfaceFlinger": self.flinger, "gfxinfo": self.gfxinfo, "display": self.display, "input": self.dispatcher, "window": self.window, "power": lambda _: (0, "POWER MANAGER (dumpsys power)\n  mWakefulness=Awake\n", ""), "battery": self.battery, "thermalservice": self.thermal, "netstats": self.netstats, "package": self.package}
        said = services.get(args[0])
        return said(args[1:]) if said else (0, "", f"Can't find service: {args[0]}\n")

    def battery(self, _args):
        return 0, self.usage.battery(), ""

    def thermal(self, _args):
        if self.options.sdk < 29:
            return 0, "", "Can't find service: thermalservice\n"
        return 0, self.usage.thermal(), ""

    def netstats(self, _args):
        return 0, self.usage.netstats(), ""

    def package(self, _args):
        return 0, f"Packages:\n  Package [{self.app}] (5a5a5a):\n    userId=10231\n    versionCode=12 minSdk=24 targetSdk=34\n    versionName=1.2\n    flags=[ HAS_CODE ]\n    pkgFlags=[ HAS_CODE ]\n", ""

    def window(self, args):
        if args[:1] == ["policy"]:
            return 0, "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    KeyguardServiceDelegate\n      showing=false\n      inputRestricted=false\n      secure=false\n", ""
        name = f"{self.app}/{self.app}{self.activity}" if self.activity else "com.outside.home/com.outside.home.Home"
        return 0, f"WINDOW MANAGER WINDOWS (dumpsys window windows)\n  mCurrentFocus=Window{{9ab0c1d u0 {name}}}\n  mFocusedApp=ActivityRecord{{77aa01 u0 {name} t12}}\n", ""

    def display(self, _args):
        options, panel = self.options, self.world.panel
        with self.world.lock:
            self.world.catch_up()
            now = panel.ticks[-1][1]
        sdk = options.sdk
        extra = ", alternativeRefreshRates=[]" if sdk >= 31 else ""
        def mode(number, hz):
            vsync = f", vsync={float(hz)}" if sdk >= 35 else ""
            return f"{{id={number}, width={options.width}, height={options.height}, fps={float(hz)}{vsync}{extra}}}"
        modes = [mode(number + 1, hz) for number, hz in enumerate(panel.rates)]
        active = panel.rates.index(now) + 1
        render = f"renderFrameRate {float(now)}, " if sdk >= 34 else ""
        size = f"{options.width} x {options.height}"
        old = f"{float(now)} fps, " if sdk <= 25 else ""
        lines = [
            "DISPLAY MANAGER (dumpsys display)",
            f"  DisplayDeviceInfo{{\"Built-in Screen\": uniqueId=\"local:4630946\", {size}, {old}modeId {active}, {render}defaultModeId 1, supportedModes [{', '.join(modes)}], colorMode 0, density {options.density}, touch INTERNAL, rotation 0, type INTERNAL, state ON, FLAG_DEFAULT_DISPLAY}}",
            "    mUniqueId=local:4630946",
            f"    mActiveModeId={active}",
            "    mState=ON",
            "    mSupportedModes=",
        ] + [f"      DisplayModeRecord{{mMode={text}}}" for text in modes]
        return 0, "\n".join(lines) + "\n", ""

    def layer(self):
        """The layer that gets the page's buffers, as `--list` and `--latency` know it."""
        name = f"{self.app}/{self.app}{self.activity}"
        sdk = self.options.sdk
        return name if sdk <= 25 else f"{name}#0" if sdk <= 32 else f"{name}#{self.layer_number}"

    def flinger(self, args):
        if args[:1] == ["--list"]:
            names = ["StatusBar#3", "NavigationBar0#4"]
            if self.activity:
                if self.options.sdk >= 31:
                    number = self.layer_number if self.options.sdk >= 33 else 2
                    names += [f"ActivityRecord{{77aa01 u0 {self.app}/{self.activity} t12}}#{number - 2}", f"9ab0c1d {self.app}/{self.app}{self.activity}#{number - 1}"]
                names.append(self.layer())
            if self.options.sdk >= 35:
                names = [f"RequestedLayerState{{{name} parentId=7}}" for name in names]
            return 0, "\n".join(names) + "\n", ""
        if args[:1] == ["--latency"]:
            return 0, self.latency(args[1] if len(args) > 1 else None), ""
        return 0, "", ""

    def latency(self, name):
        world = self.world
        with world.lock:
            now = world.catch_up()
            text = f"{int(SECOND / world.panel.ticks[-1][1])}\n"
            if not self.activity or name != self.layer():
                return text + "\n" if name is None else text
            rows = []
            # A buffer is in the ring once the compositor has taken it.
            for frame in world.frames[world.page_from:][-SF_ROWS - 8:]:
                if world.tick_at(frame.tick + 1) <= now:
                    shown = frame.present(world)
                    ready = frame.ready if frame.ready <= now else PENDING
                    rows.append(f"{frame.queued}\t{shown if shown <= now else PENDING}\t{ready}")
        rows = rows[-SF_ROWS:]
        return text + "\n".join(["0\t0\t0"] * (SF_ROWS - len(rows)) + rows) + "\n\n"

    def gfxinfo(self, args):
        world = self.world
        with world.lock:
            now = world.catch_up()
            head = f"Applications Graphics Acceleration Info:\nUptime: {now // MS} Realtime: {(now + world.slept) // MS}\n\n"
            pid = {"com.android.systemui": 1811, self.app: self.running}.get(args[0])
            if pid is None:
                return 0, f"No process found for: {args[0]}\n", ""
            head += f"** Graphics info for pid {pid} [{args[0]}] **\n\n"
            frames = [frame for frame in world.frames[world.page_from:] if frame.ready + MS <= now]
            if args[0] != self.app or not self.activity:
                return 0, head, ""
            late = sum(frame.stalled for frame in frames)
            summary = f"Stats since: {world.epoch}ns\nTotal frames rendered: {len(frames)}\nJanky frames: {late} ({100 * late / max(1, len(frames)):.2f}%)\n"
            name = f"{self.app}/{self.app}{self.activity}"
            text = head + summary + f"\nPipeline=Skia (OpenGL)\n\nProfile data in ms:\n\n\t{name}/android.view.ViewRootImpl@9c0ffee (visibility=0)\n"
            if "framestats" in args:
                rows = [row(frame, world, self.options.sdk) for frame in frames[-HWUI_ROWS:]]
                text += f"Window: {name}\n{summary}---PROFILEDATA---\n{columns(self.options.sdk)},\n" + "".join(line + ",\n" for line in rows) + "---PROFILEDATA---\n\n"
        return 0, text + "View hierarchy:\n\n  " + name + "\n  91 views, 88.10 kB of render nodes\n\nTotal ViewRootImpl   : 1\n", ""

    def dispatcher(self, _args):
        """`dumpsys input`: the queue of the last ten events, in three dialects."""
        if self.options.input == "none":
            return 0, "", "Can't find service: input\n"
        # The dump takes a moment, and reads its clock inside it.
        time.sleep(self.world.chance.uniform(0.002, 0.012))
        now = self.world.clock()
        events = [(at, "KEY") for at in self.keys]
        step = MS * 25 // 3 if self.options.sdk >= 34 else 4 * MS
        for touch in self.world.touches[-4:]:
            moves = range(touch.down + step, touch.up, step)
            events += [(touch.down, "DOWN")] + [(at, "MOVE") for at in moves] + [(touch.up, "UP")]
        events = sorted(event for event in events if event[0] <= now)[-10:]
        lines = [event_line(at, kind, now, self.options.input) for at, kind in events]
        text = "INPUT MANAGER (dumpsys input)\n\nEvent Hub State:\n  BuiltInKeyboardId: -1\n\nInput Dispatcher State:\n  DispatchEnabled: true\n  FocusedApplications:\n    displayId=0, name='ActivityRecord', dispatchingTimeout=5000ms\n"
        text += f"  RecentQueue: length={len(lines)}\n" + "".join(lines) + "  PendingEvent: <none>\n  InboundQueue: <empty>\n  ReplacedKeys: <empty>\n"
        return 0, text, ""


def event_line(at, kind, now, dialect):
    """One event of RecentQueue."""
    age = now - at
    if kind == "KEY":
        return f"    KeyEvent, age={age // MS}ms\n" if dialect == "hidden" else f"    KeyEvent(deviceId=-1, eventTime={at}, source=KEYBOARD, displayId=-1, action=UP, flags=0x00000008, keyCode=UNKNOWN(0), scanCode=0, metaState=0x00000000, repeatCount=0), policyFlags=0x6b000000, age={age // MS}ms\n" if dialect == "full" else f"    KeyEvent(deviceId=-1, source=0x00000101, action=1, flags=0x00000008, keyCode=0, scanCode=0, metaState=0x00000000, repeatCount=0), policyFlags=0x6b000000, age={age / MS:.1f}ms\n"
    if dialect == "hidden":
        return f"    MotionEvent, age={age // MS}ms\n"
    if dialect == "old":
        number = {"DOWN": 0, "UP": 1, "MOVE": 2}[kind]
        return f"    MotionEvent(deviceId=0, source=0x00001002, action={number}, flags=0x00000000, metaState=0x00000000, buttonState=0x00000000, edgeFlags=0x00000000, xPrecision=1.0, yPrecision=1.0, displayId=0, pointers=[0: (540.0, 700.0)]), policyFlags=0x6b000000, age={age / MS:.1f}ms\n"
    return f"    MotionEvent(deviceId=-1, eventTime={at}, source=TOUCHSCREEN, displayId=0, action={kind}, actionButton=0x00000000, flags=0x00000000, metaState=0x00000000, buttonState=0x00000000, classification=NONE, edgeFlags=0x00000000, xPrecision=1.0, yPrecision=1.0, xCursorPosition=nan, yCursorPosition=nan, pointers=[0: (540.0, 700.0)]), policyFlags=0x6b000000, age={age // MS}ms\n"


def row(frame, world, sdk):
    """One row of framestats, by the names of its release's columns."""
    part = frame.cost // 8
    work = max(frame.start, frame.vsync)
    # A page on a timer of its own asks for a frame when it is due; a busy one is given the refresh it asked for long ago.
    asked = frame.wanted if frame.stalled or world.options.random_5_6 else frame.tick
    intended = world.tick_at(asked)
    interval = int(SECOND / frame.hz)
    done = max(frame.ready, frame.queued + MS // 2)
    values = {
        "Flags": 0, "FrameTimelineVsyncId": 400 + 3 * frame.tick, "IntendedVsync": intended, "Vsync": frame.vsync,
        "OldestInputEvent": min(frame.input, default=PENDING), "NewestInputEvent": max(frame.input, default=0), "InputEventId": 0,
        "HandleInputStart": work + part // 4, "AnimationStart": work + part // 2, "PerformTraversalsStart": work + 2 * part, "DrawStart": work + 3 * part,
        "FrameDeadline": intended + DEPTH * interval - 2 * MS, "FrameInterval": interval, "FrameStartTime": work, "WorkloadTarget": DEPTH * interval - 2 * MS,
        "SyncQueued": work + 4 * part, "SyncStart": work + 4 * part + part // 4, "IssueDrawCommandsStart": work + 5 * part, "SwapBuffers": work + 7 * part,
        "FrameCompleted": done, "DequeueBufferDuration": 20_000, "QueueBufferDuration": 310_000, "GpuCompleted": frame.ready,
        "SwapBuffersCompleted": frame.queued, "DisplayPresentTime": 0, "CommandSubmissionCompleted": frame.queued,
    }
    names = columns(sdk)
    if 31 <= sdk <= 33:
        # These releases print the two under each other's names.
        values["FrameInterval"], values["FrameStartTime"] = values["FrameStartTime"], values["FrameInterval"]
    return ",".join(str(values[name]) for name in names.split(","))
