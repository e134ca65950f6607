"""What the tests of real processes share: homes, people, and how such tests are run.

The script that imports this is called with the program, and then parts of the names of the tests that are wanted.
"""
import glob, json, os, pathlib, random, secrets, subprocess, sys, tempfile, time, traceback

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(sys.modules["__main__"].__doc__)
ALPHABET = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"


# Processes that a test has started: those that it leaves behind are ended after it.
started = []


class Skip(Exception):
    pass


skipped_parts = []


def skip_part(what):
    """A part of the test cannot be tried here; the rest goes on."""
    skipped_parts.append(what)
    print(f"  skipped a part: {what}", flush=True)


class Account:
    """Somebody who has signed up."""

    def __init__(self, email, username, password):
        self.email, self.username, self.password = email, username, password


class Home:
    """A home, and the program on it."""

    # However slow the machine is, nothing takes as long, in seconds: what does, hangs.
    patience = 600

    def __init__(self, path, owner=None, prefix=()):
        self.path, self.owner, self.prefix = str(path), owner, list(prefix)

    def try_run(self, *words, input=None, env={}):
        words = [w if isinstance(w, bytes) else os.fsencode(str(w)) for w in words]
        environment = {**os.environ, "JOKES_SYNC_HOME": self.path, **env}
        if isinstance(input, str):
            input = input.encode()
        done = subprocess.run([*self.prefix, PROGRAM, *words], input=input or b"", capture_output=True, env=environment, user=self.owner, timeout=self.patience)
        done.out, done.error = (stream.decode(errors="replace") for stream in (done.stdout, done.stderr))
        return done

    def run(self, *words, input=None, env={}):
        done = self.try_run(*words, input=input, env=env)
        assert done.returncode == 0, f"{words}: {done.returncode}: {done.error}"
        return done.stdout.decode()

    def fails(self, status, *words, input=None):
        """The program refuses with that status, says why and what to do."""
        done = self.try_run(*words, input=input)
        assert done.returncode == status, f"{words}: {done.returncode} instead of {status}: {done.error}"
        says_why(done, words)
        return done.error

    def secret(self, text):
        """A file whose one line is a password or a code, beside the home and not in it."""
        path = f"{self.path}.{secrets.token_hex(4)}.secret"
        pathlib.Path(path).write_text(text + "\n")
        return path

    def sign_up(self, username, *words, email=None, password=None):
        """Makes an account, and logs in with it."""
        account = Account(email or username + "@example.org", username, password or secrets.token_hex(12))
        account.code = self.run("signup", "--email", account.email, "--username", username, "--password-file", self.secret(account.password), *words).strip()
        account.uid = self.user()["uid"]
        return account

    def log_in(self, account):
        return self.run("login", "--email", account.email, "--password-file", self.secret(account.password))

    def user(self):
        return json.loads(self.run("whoami", "--json"))["user"]

    def invite(self, *words):
        """A line by which others join. They hear of the invite when this home has synced."""
        return self.run("invite", *words).strip()

    def join(self, line):
        self.run("join", "--device", os.path.basename(self.path), input=line + "\n")

    def members(self):
        return {m["name"]: m for m in json.loads(self.run("member", "list", "--json"))}

    def role(self, name):
        member = self.members()[name]
        return "ended" if member["ended"] else member["role"]

    def texts(self):
        return {j["jokeText"] for j in self.jokes()}

    def jokes(self):
        return json.loads(self.run("list", "--json", "--limit", "1000000"))

    def ids(self):
        return sorted(j["id"] for j in self.jokes())

    @property
    def data(self):
        return pathlib.Path(self.path, "data", "data.mdb")

    def status(self, word):
        return next(l.split()[1] for l in self.run("status").splitlines() if l.startswith(word + " "))

    def start(self, *words):
        log = open(self.path + ".log", "a+")
        environment = {**os.environ, "JOKES_SYNC_HOME": self.path}
        process = subprocess.Popen([*self.prefix, PROGRAM, "run", *words], stdout=log, stderr=log, env=environment)
        started.append(process)
        return process

    def spawn(self, *words, input=None, env={}):
        """Starts any command, with pipes; with `input`, whatever it is, also one to its input."""
        environment = {**os.environ, "JOKES_SYNC_HOME": self.path, **env}
        stdin = subprocess.PIPE if input is not None else subprocess.DEVNULL
        process = subprocess.Popen([*self.prefix, PROGRAM, *map(str, words)], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        started.append(process)
        return process

    def listen(self, address="127.0.0.1:0"):
        """Starts a run that listens, and waits for its port."""
        open(self.path + ".log", "w").close()
        process = self.start("--listen", address)
        for _ in range(500):
            for line in open(self.path + ".log"):
                if line.startswith("listening on "):
                    return process, line.rsplit(":", 1)[1].strip()
            time.sleep(0.02)
        raise AssertionError("it does not listen: " + open(self.path + ".log").read())


def says_why(done, what):
    """A failure that names what is wrong and says what to do."""
    lines = done.error.splitlines()
    said = next((i for i, l in enumerate(lines) if l.startswith("error: ")), len(lines))
    assert said + 1 < len(lines), f"{what}: status {done.returncode}, and no error with advice: {done.error!r}"


def founder(folder, name="a", user="alice", prefix=()):
    """A home that has made a space, with somebody logged in unless `user` is None."""
    home = Home(folder / name, prefix=prefix)
    home.code = home.run("init", "--device", name).strip()
    home.account = home.sign_up(user) if user else None
    return home


def newcomer(folder, name, line, carrier):
    """A home that has joined and met nobody yet."""
    home = Home(folder / name)
    home.join(line)
    home.run("remote", "add", "folder", str(carrier))
    return home


NOBODY = "nobody"


def joiner(folder, name, first, carrier, user=None, role="member"):
    """A home that has joined the space, and learnt of it by a folder that the first home is in.

    Somebody signs up there, called like the home unless `user` says another name, unless it is NOBODY.
    """
    home = newcomer(folder, name, first.invite("--role", role), carrier)
    first.run("sync")
    home.run("sync")
    if role != "reader" and user != NOBODY:
        home.account = home.sign_up(user or name)
    return home


def shared(folder, *homes):
    carrier = folder / "shared"
    carrier.mkdir(exist_ok=True)
    for home in homes:
        home.run("remote", "add", "folder", str(carrier))
    return carrier


def meet(*homes):
    """Everybody syncs until nobody can have anything new."""
    for _ in range(2):
        for home in homes:
            home.run("sync")


def agree(*homes):
    """Equal clocks, states and exports."""
    for word in ["clock", "state"]:
        found = {h.status(word) for h in homes}
        assert len(found) == 1, f"{word}: {found}"
    exports = {h.run("export") for h in homes}
    assert len(exports) == 1, "exports differ"
    for home in homes:
        home.run("verify")


def soon(*homes, seconds=60):
    """Waits for running homes to have equal clocks."""
    end = time.time() + seconds
    while len({h.status("clock") for h in homes}) > 1:
        assert time.time() < end, "the clocks do not become equal: " + str([h.status("clock") for h in homes])
        time.sleep(0.1)


def stop(*processes):
    for process in processes:
        process.terminate()
    for process in processes:
        assert process.wait(20) == 0, f"run ended with {process.returncode}"


def push_id(milliseconds, rng):
    time_text = ""
    for _ in range(8):
        time_text = ALPHABET[milliseconds % 64] + time_text
        milliseconds //= 64
    return time_text + "".join(rng.choice(ALPHABET) for _ in range(12))


def document(texts, author="alice"):
    """An export that holds these texts as jokes."""
    rng = random.Random(1)
    jokes = {push_id(1_600_000_000_000 + 1000 * i, rng): {"author": author, "jokeText": t, "votes": 0} for i, t in enumerate(texts)}
    return json.dumps({"jokes": jokes}, ensure_ascii=False)


def run_tests(tests, prefix):
    """Runs each test in a folder of its own, and ends the program: with 1 if one failed."""
    failed, skipped, parts = 0, 0, sys.argv[2:]
    wanted = [t for t in tests if not parts or any(part in t.__name__.replace("_", " ") for part in parts)]
    if not wanted:
        sys.exit(f"no test's name has a part {' or '.join(map(repr, parts))}")
    for test in wanted:
        name = test.__name__.replace("_", " ")
        start = time.time()
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            try:
                test(pathlib.Path(folder))
                print(f"  passed  {name} ({time.time() - start:.1f} s)", flush=True)
            except Skip as reason:
                skipped += 1
                print(f"  skipped {name}: {reason}", flush=True)
            except Exception as error:
                failed += 1
                lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.name == test.__name__]
                print(f"  FAILED  {name}, line {lines[-1] if lines else '?'}: {type(error).__name__}: {error}", flush=True)
            finally:
                while started:
                    process = started.pop()
                    if process.poll() is None:
                        process.kill()
                        process.wait()
    more = f", and {len(skipped_parts)} parts of others" if skipped_parts else ""
    print(f"{len(wanted) - failed - skipped} passed, {failed} failed, {skipped} skipped{more}", flush=True)
    sys.exit(1 if failed else 0)

