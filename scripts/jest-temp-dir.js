// Where the tests keep their temporary files. Each commit of PostgreSQL, NATS and SQLite waits for the disk, and there are
// many thousands of them: in memory none of them waits. No test cuts the power, so none sees a difference.
'use strict'

const { chmodSync, mkdtempSync, readFileSync, statfsSync } = require('node:fs')
const { freemem } = require('node:os')
const { join } = require('node:path')

const SHARED_MEMORY = '/dev/shm'
/** The tests keep about 1 GB at most; programs and page cache need some, too. */
const LEAST_BYTES = 4 * 1024 ** 3

/** Makes a folder in memory, when there is room, unless TMPDIR names another place; undefined otherwise. */
function makeTempDir(env = process.env) {
  if (env.TMPDIR !== undefined || !isRoomy(SHARED_MEMORY)) return undefined
  const folder = mkdtempSync(join(SHARED_MEMORY, 'sheaf-tests-'))
  // As the usual one, since PostgreSQL and some services run as other users.
  chmodSync(folder, 0o1777)
  return folder
}

/** Whether a folder is in memory, has room, and may hold programs, which tests write and start. */
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
