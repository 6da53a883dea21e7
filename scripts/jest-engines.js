// Before the tests: starts PostgreSQL and NATS once for all suites, in a process outside jest that ends with
// jest, even when jest is killed. The process also holds the Sheaf that the suites of a worker share.
// DATABASE_URL and NATS_URL, when set, name servers to use instead.
'use strict'

const { spawn, spawnSync } = require('node:child_process')
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { createInterface } = require('node:readline')
const { makeTempDir } = require('./jest-temp-dir')

const root = join(__dirname, '..')
const host = join(root, 'packages/testkit/dist/engine-host.js')

/** Compiles the host of the engines when jest runs in a tree that was never built. */
function requireHost() {
  if (existsSync(host)) return
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-b', 'packages/testkit'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('packages/testkit does not compile, and the tests need it')
}

/** Resolves to the addresses that the host prints once both engines are ready. */
function readAddresses(child) {
  return new Promise((resolve, reject) => {
    let complaints = ''
    child.stderr.on('data', (chunk) => (complaints += chunk))
    child.once('error', reject)
    child.once('close', () => {
      reject(new Error(`the engines for the tests do not start: ${complaints.trim()}`))
    })
    createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line)))
  })
}

module.exports = async () => {
  requireHost()
  const tempDir = makeTempDir()
  if (tempDir !== undefined) process.env.TMPDIR = tempDir
  // Detached, so that ^C stops the tests first; it exits when its stdin, held only by jest, is closed.
  const child = spawn(process.execPath, [host], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...(tempDir !== undefined && { SHEAF_TEST_TEMP_DIR: tempDir }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  globalThis.sheafEngineHost = child
  const { databaseUrl, natsUrl, hostSocket } = await readAddresses(child)
  process.env.SHEAF_TEST_DATABASE_URL = databaseUrl
  process.env.SHEAF_TEST_NATS_URL = natsUrl
  process.env.SHEAF_TEST_HOST = hostSocket
}
