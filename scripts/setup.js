// Installs missing packages into node_modules; takes a tenth of a second when nothing is missing. Run by
// `make setup`.
'use strict'

const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

const root = join(__dirname, '..')
const oldestNode = [20, 19]

const lock = join(root, 'package-lock.json')
/** Written by npm at the end of each command that changes node_modules: what is installed. */
const installed = join(root, 'node_modules/.package-lock.json')
/** Written by this script after a complete install: which lock file it was of, and what it installed. */
const mark = join(root, 'node_modules/.installed-lock')

/** Names the state that an install of the lock file leaves. Which packages that are depends on the platform. */
function nameState() {
  const hash = createHash('sha256')
  for (const path of [lock, installed]) hash.update(readFileSync(path))
  return hash.digest('hex')
}

/** Returns whether the packages of the lock file are installed, and no others. */
function isInstalled() {
  if (![mark, installed].every(existsSync)) return false
  if (readFileSync(mark, 'utf8').trim() !== nameState()) return false
  // A folder that was removed since is still listed; a link that leads nowhere does not exist either.
  const { packages } = JSON.parse(readFileSync(installed, 'utf8'))
  return Object.keys(packages).every((folder) => existsSync(join(root, folder)))
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
  if (!isInstalled()) {
    console.log('installing packages; one is compiled, which takes a minute')
    npm('ci', '--include=dev', '--no-audit', '--no-fund')
    writeFileSync(mark, nameState())
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
