// Installs missing packages into node_modules; takes a tenth of a second when nothing is missing. Run by
// `make setup`.
'use strict'

const { spawnSync } = require('node:child_process')
const { existsSync, statSync } = require('node:fs')
const { dirname, join } = require('node:path')

const root = join(__dirname, '..')
const oldestNode = [20, 19]

/** Returns the modification time of a file; 0 when it does not exist. */
function changedAt(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** Lets the compiler use the headers of this Node installation instead of downloading them. */
function withHeaders(env) {
  const home = dirname(dirname(process.execPath))
  if (!existsSync(join(home, 'include/node/node.h'))) return env
  return { npm_config_nodedir: home, ...env }
}

function npm(...args) {
  const { status, error } = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: withHeaders(process.env),
  })
  if (error) throw new Error(`npm cannot be run: ${error.message}`)
  if (status !== 0) throw new Error(`npm ${args[0]} failed, see above`)
}

/** Returns whether the only locally compiled package matches this version of Node. */
function addonLoads() {
  const open = "new (require('better-sqlite3'))(':memory:').close()"
  return spawnSync(process.execPath, ['-e', open], { cwd: root, stdio: 'ignore' }).status === 0
}

function setup() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    throw new Error(`Node ${oldestNode.join('.')} or later is needed; this is ${process.version}`)
  }
  if (major === 24 && minor >= 19) {
    throw new Error(
      `better-sqlite3 12 aborts on Node ${process.version}: Node 22 is recommended (.nvmrc)`,
    )
  }
  // npm writes this file at the end of each install, so its time marks the last complete one.
  if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
    console.log('installing packages; one is compiled, which takes a minute')
    npm('ci', '--include=dev', '--no-audit', '--no-fund')
  }
  if (addonLoads()) return
  console.log(`compiling better-sqlite3 for Node ${process.version}`)
  npm('rebuild', 'better-sqlite3')
  if (!addonLoads()) {
    throw new Error(
      'better-sqlite3 could not be compiled: python3, make and a C++ compiler are needed',
    )
  }
}

try {
  setup()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
