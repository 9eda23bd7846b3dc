"""Text of the fixtures that start a throw-away Redis server for the written tests."""

from __future__ import annotations

FIXTURE = "redis_server"

IMPORTS = ("import redis", "import redis.asyncio")

SERVER = '''\
@pytest.fixture(scope="session")
def redis_server():
    """A throw-away Redis server: no test touches the real one."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("Redis is not installed")
    # It ends with the tests, also when they are killed.
    follow = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "socket")
        command = [program, "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder]
        server = subprocess.Popen([*follow, *command], stdout=subprocess.DEVNULL)
        with socket.socket(socket.AF_UNIX) as probe:
            while probe.connect_ex(str(path)):
                assert server.poll() is None
                time.sleep(0.02)

        def connect(self):
            self.username = self.password = self.credential_provider = None
            opened = socket.socket(socket.AF_UNIX)
            opened.settimeout(self.socket_timeout)
            opened.connect(str(path))
            return opened

        async def connect_soon(self):
            self.username = self.password = self.credential_provider = None
            self._reader, self._writer = await asyncio.open_unix_connection(path)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(redis.connection.Connection, "_connect", connect)
            patch.setattr(redis.connection.SSLConnection, "_connect", connect)
            patch.setattr(redis.asyncio.connection.Connection, "_connect", connect_soon)
            yield redis.Redis()
        server.terminate()
        server.wait()
'''

RESTORED = '''\
@pytest.fixture(autouse=True)
def restored_keys(flask_app, redis_server):
    """Undo what a test writes to Redis."""
    kept = {
        key: (redis_server.dump(key), max(redis_server.pttl(key), 0))
        for key in redis_server.keys()
    }

    yield

    redis_server.flushall()
    for key, (value, left) in kept.items():
        redis_server.restore(key, left, value)
'''
