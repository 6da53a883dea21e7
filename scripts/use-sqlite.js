// Preloaded into the processes of tests that run on another Node: `better-sqlite3` is then the copy that was compiled
// for it, in the folder SHEAF_TEST_SQLITE.
'use strict'

const Module = require('node:module')

const folder = process.env.SHEAF_TEST_SQLITE
const resolve = Module._resolveFilename
Module._resolveFilename = function (name, ...rest) {
  return resolve.call(this, folder && name === 'better-sqlite3' ? folder : name, ...rest)
}
