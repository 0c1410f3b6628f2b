"""What a phone tells a shell of CPU, memory, heat, its battery and the network: files of the kernel, and two services.

Formats of proc(5), of the power supply class and of AOSP's BatteryService, ThermalManagerService and NetworkStatsService. A
file that the phone keeps from a shell is not there: opening it fails as it does there. Must not decide what happens:
`model.py` does.
"""

import os
import re
import threading

from model import MS, SECOND

TICK = 10 * MS
UID = 10231
CORES = 8
# What the app has and moves: it leaks, and loads pictures at an even pace.
RSS_KB, LEAK_KB_S, RX_S, TX_S = 214_016, 3_072, 51_200, 6_144
DRAWS_MA = 430
SHOWN = re.compile(r"/(proc/(?:\$\w+|\d+)/stat(?:us)?\b|proc/stat\b|proc/net/xt_qtaguid/stats\b|sys/class/power_supply/battery/current_now\b)")


class Usage:
    """The counters of one phone. `files` is the folder where a shell finds what the phone shows of them."""

    def __init__(self, world, options, programs):
        self.world, self.options, self.programs = world, options, programs
        self.keeps = set(filter(None, options.keeps.split(",")))
        self.files, self.written = None, set()
        self.fresh, self.over = None, threading.Event()
        self.begun, self.booted = self.world.clock(), 41_000 * SECOND

    def shown(self, line, folder):
        """A shell's line, its files replaced by those this phone shows; from the first such line on they are kept fresh."""
        if not SHOWN.search(line):
            return line
        if self.files is None:
            self.files = folder
            self.refresh()
            self.fresh = threading.Thread(target=self.keep_fresh, daemon=True)
            self.fresh.start()
        return SHOWN.sub(lambda found: os.path.join(folder, found.group(1)), line)

    def keep_fresh(self):
        while not self.over.wait(0.01):
            self.refresh()

    def stop(self):
        """Nobody reads the files any more."""
        self.over.set()
        if self.fresh:
            self.fresh.join()

    def refresh(self):
        """Every file as it reads now."""
        with self.world.lock:
            self.world.catch_up()
            now, pid = self.world.now, self.programs.running
            told = {"proc/stat": self.cores(now)} if "cpu" not in self.keeps else {}
            if pid:
                if "cpu" not in self.keeps:
                    told[f"proc/{pid}/stat"] = self.stat(now, pid)
                if "memory" not in self.keeps:
                    told[f"proc/{pid}/status"] = self.status(now, pid)
            if "battery" not in self.keeps:
                told["sys/class/power_supply/battery/current_now"] = f"{self.current()}\n"
            if "network" not in self.keeps and self.options.sdk <= 28:
                told["proc/net/xt_qtaguid/stats"] = self.qtaguid(now)
        for name in self.written - set(told):
            os.unlink(os.path.join(self.files, name))
        for name, text in told.items():
            path = os.path.join(self.files, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path + ".new", "w", encoding="ascii") as file:
                file.write(text)
            os.replace(path + ".new", path)
        self.written = set(told)

    def worked(self, now):
        """CPU time of the app's process, ns: that of the frames it drew."""
        return sum(frame.cost for frame in self.world.frames[self.programs.born:] if frame.queued <= now)

    def stat(self, now, pid):
        ticks = self.worked(now) // TICK
        name = self.options.app[-15:]
        system = ticks // 5
        head = f"{pid} ({name}) S 872 872 0 0 -1 1077952832 61840 0 214 0 {ticks - system} {system} 0 0 10 -10 48 0 {self.booted // TICK}"
        return head + f" 17213267968 {self.rss(now) // 4} 18446744073709551615 1 1 0 0 0 0 4612 1 1073775868 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

    def status(self, now, pid):
        rss, four = self.rss(now), "\t".join([str(UID)] * 4)
        return (
            f"Name:\t{self.options.app[-15:]}\nUmask:\t0077\nState:\tS (sleeping)\nTgid:\t{pid}\nNgid:\t0\nPid:\t{pid}\nPPid:\t872\nTracerPid:\t0\n"
            f"Uid:\t{four}\nGid:\t{four}\nFDSize:\t512\nGroups:\t9997 20231 50231 \nVmPeak:\t16990232 kB\nVmSize:\t16809832 kB\nVmLck:\t       0 kB\n"
            f"VmPin:\t       0 kB\nVmHWM:\t{rss + 900:>8} kB\nVmRSS:\t{rss:>8} kB\nRssAnon:\t{rss // 2:>8} kB\nRssFile:\t{rss // 3:>8} kB\nThreads:\t48\n"
        )

    def rss(self, now):
        return RSS_KB + LEAK_KB_S * (now - self.programs.born_at) // SECOND

    def cores(self, now):
        """All cores together: a tenth of them is busy with everything else."""
        each = (self.booted + now - self.begun) // TICK
        app = self.worked(now) // TICK
        busy = each * CORES // 10 + app
        waits = each // 20
        idle = each * CORES - busy - waits
        lines = [f"cpu  {busy * 6 // 10} {busy // 10} {busy - busy * 6 // 10 - busy // 10} {idle} {waits} 0 0 0 0 0"]
        lines += [f"cpu{core} {busy // CORES} 0 0 {idle // CORES} {waits // CORES} 0 0 0 0 0" for core in range(CORES)]
        return "\n".join(lines + ["intr 98213400 0 0", "ctxt 171190021", "btime 1767000000", "processes 51020", "procs_running 3"]) + "\n"

    def current(self):
        return {"micro": -DRAWS_MA * 1000, "milli": DRAWS_MA, "plus": DRAWS_MA * 1000}[self.options.current]

    def bytes(self, now):
        age = now - self.programs.born_at
        return RX_S * age // SECOND, TX_S * age // SECOND

    def qtaguid(self, now):
        rx, tx = self.bytes(now)
        head = "idx iface acct_tag_hex uid_tag_int cnt_set rx_bytes rx_packets tx_bytes tx_packets rx_tcp_bytes rx_tcp_packets rx_udp_bytes rx_udp_packets rx_other_bytes rx_other_packets tx_tcp_bytes tx_tcp_packets tx_udp_bytes tx_udp_packets tx_other_bytes tx_other_packets\n"
        tail = "0 0 0 0 0 0 0 0 0 0 0 0"
        rows = [f"2 wlan0 0x0 0 0 8120 60 9100 71 {tail}"]
        if self.programs.running:
            rows += [f"3 wlan0 0x0 {UID} 0 1200 9 800 8 {tail}", f"4 wlan0 0x0 {UID} 1 {rx} {rx // 1300} {tx} {tx // 300} {tail}", f"5 wlan0 0x3010000000000 {UID} 1 {rx // 2} 9 0 0 {tail}"]
        return head + "\n".join(rows) + "\n"

    # Services.

    def battery(self):
        fed = str(not self.options.unplugged).lower()
        dock = "  Dock powered: false\n" if self.options.sdk >= 33 else ""
        status, level = (5, 100) if not self.options.unplugged else (3, 83)
        return (
            f"Current Battery Service state:\n  AC powered: false\n  USB powered: {fed}\n  Wireless powered: false\n{dock}  Max charging current: 500000\n  Max charging voltage: 5000000\n"
            f"  Charge counter: 3573820\n  status: {status}\n  health: 2\n  present: true\n  level: {level}\n  scale: 100\n  voltage: 4300\n  temperature: 282\n  technology: Li-ion\n"
        )

    def thermal(self):
        skin = "" if "temperature" in self.keeps else "\tTemperature{mValue=31.4, mType=3, mName=skin, mStatus=0}\n"
        cached = "" if "temperature" in self.keeps else "\tTemperature{mValue=44.0, mType=3, mName=skin, mStatus=1}\n"
        return f"IsStatusOverride: false\nThermalEventListeners:\n\tcallbacks: 2\n\tkilled: false\n\tbroadcasts count: -1\nThermal Status: 0\nCached temperatures:\n{cached}HAL Ready: true\nHAL connection:\n\tThermalHAL AIDL 1  connected: yes\nCurrent temperatures from HAL:\n\tTemperature{{mValue=28.2, mType=2, mName=battery, mStatus=0}}\n{skin}Current cooling devices from HAL:\n\tCoolingDevice{{mValue=0, mType=2, mName=thermal-cpufreq-0}}\n"

    def netstats(self):
        if "network" in self.keeps:
            return "Permission Denial: can't dump NetworkStats from from pid=4711, uid=2000 due to missing android.permission.DUMP permission\n"
        if self.options.sdk < 33:
            return "Active interfaces:\n  iface=wlan0 ident=[{type=1}]\nXt stats:\n  Pending bytes: 512\n"
        rx, tx = self.bytes(self.world.clock())
        own = f"    {UID} {rx} {rx // 1300} {tx} {tx // 300}\n" if self.programs.running else ""
        return (
            "Configs:\n  netstats_combine_subtype_enabled: false\nActive interfaces:\n  iface=wlan0 ident=[{type=1, defaultNetwork=true}]\nBPF map status:\n  mCookieTagMap: OK\n  mAppUidStatsMap: OK\n"
            f"BPF map content:\n  mUidCounterSetMap:\n    uid set\n    {UID} 1\n  mAppUidStatsMap:\n    uid rxBytes rxPackets txBytes txPackets\n    0 512044 4410 90210 907\n{own}"
            f"  mStatsMapA:\n    ifaceIndex ifaceName tag_hex uid_int cnt_set rxBytes rxPackets txBytes txPackets\n    30 wlan0 0x0 {UID} 1 {rx} {rx // 1300} {tx} {tx // 300}\n"
            "  mIfaceStatsMap:\n    ifaceIndex ifaceName rxBytes rxPackets txBytes txPackets\n    30 wlan0 77120044 61410 9021000 32907\n"
        )

    def truth(self):
        """What a look may find, at the instant it is taken: the process, then each as a line over time."""
        return {"born_at": self.programs.born_at, "rss_kb": [RSS_KB, LEAK_KB_S], "rx": RX_S, "tx": TX_S, "draws_ma": DRAWS_MA, "others": 0.1, "cores": CORES}
