// Installs missing packages into node_modules; takes a tenth of a second when nothing is missing. Run by
// `make setup`.
'use strict'

const { spawnSync } = require('node:child_process')
const { existsSync, readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

const root = join(__dirname, '..')
const oldestNode = [20, 19]

/** Reads the packages of a lock file by their folders, without those of this repository, which are only linked. */
function readPackages(path) {
  const { packages } = JSON.parse(readFileSync(join(root, path), 'utf8'))
  return new Map(Object.entries(packages).filter(([folder]) => folder.includes('node_modules/')))
}

/** Returns whether the packages of the lock file are installed, and no others. */
function isInstalled() {
  // npm writes this file at the end of each install, so it shows what the last complete one has installed.
  const made = 'node_modules/.package-lock.json'
  if (!existsSync(join(root, made))) return false
  const wanted = readPackages('package-lock.json')
  const installed = readPackages(made)
  const isSame = (a, b) =>
    a?.version === b?.version && a?.integrity === b?.integrity && a?.link === b?.link
  return (
    [...installed].every(([folder, entry]) => isSame(entry, wanted.get(folder))) &&
    // Optional packages may be for other platforms.
    [...wanted].every(([folder, { optional }]) => optional || installed.has(folder))
  )
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
