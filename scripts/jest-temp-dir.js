// Places temporary files of the tests in memory. PostgreSQL, NATS and SQLite wait for the disk at each of
// many thousands of commits; in memory these waits disappear. Results are the same: a killed process loses no
// written data on either, no test simulates a power failure, and a full disk is a file system of its own
// (small-disk.ts). That commits are synced is tested by the settings of SQLite, PostgreSQL and NATS.
'use strict'

const { chmodSync, mkdtempSync, readFileSync, statfsSync } = require('node:fs')
const { freemem } = require('node:os')
const { join } = require('node:path')

const SHARED_MEMORY = '/dev/shm'
/** The tests need about 1 GB at most; the rest is for programs and the page cache. */
const LEAST_BYTES = 4 * 1024 ** 3

/** Creates a folder in memory, if there is space and TMPDIR is unset; returns undefined otherwise. */
function makeTempDir(env = process.env) {
  if (env.TMPDIR !== undefined || !isRoomy(SHARED_MEMORY)) return undefined
  const folder = mkdtempSync(join(SHARED_MEMORY, 'sheaf-tests-'))
  // Like the system's temporary folder, since PostgreSQL and some services run as other users.
  chmodSync(folder, 0o1777)
  return folder
}

/** Returns whether a folder is in memory, has enough space, and permits execution, which some tests need. */
function isRoomy(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const [, , type, options = ''] =
      mounts.findLast((line) => line.split(' ')[1] === folder)?.split(' ') ?? []
    const isUsable = type === 'tmpfs' && !options.split(',').includes('noexec')
    return isUsable && Math.min(bavail * bsize, freemem()) >= LEAST_BYTES
  } catch {
    return false
  }
}

module.exports = { makeTempDir }
