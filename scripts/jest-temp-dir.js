// Where the tests keep their temporary files. Each commit of PostgreSQL, NATS and SQLite waits for the disk, and there are
// many thousands of them: in memory none of them waits. No test cuts the power, so none sees a difference.
'use strict'

const { accessSync, constants, readFileSync, statfsSync } = require('node:fs')
const { freemem, tmpdir } = require('node:os')

const SHARED_MEMORY = '/dev/shm'
/** The tests keep about 1 GB at most; programs and page cache need some, too. */
const LEAST_BYTES = 4 * 1024 ** 3

/** The folder of Linux that is in memory, when there is room, unless TMPDIR names another; else that of the system. */
function chooseTempDir(env = process.env) {
  return env.TMPDIR === undefined && isRoomy(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir()
}

function isRoomy(folder) {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const [, , type, options = ''] =
      mounts.findLast((line) => line.split(' ')[1] === folder)?.split(' ') ?? []
    // Tests start programs that they have written there.
    const isUsable = type === 'tmpfs' && !options.split(',').includes('noexec')
    return isUsable && Math.min(bavail * bsize, freemem()) >= LEAST_BYTES
  } catch {
    return false
  }
}

module.exports = { chooseTempDir }
