// Records the commit that is being built, for `/status`, logs and backups: from SHEAF_COMMIT, as in an image build, or
// from Git. Without either, the file is empty. `make build` runs this after the compiler.
'use strict'

const { execFileSync } = require('node:child_process')
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

const root = join(__dirname, '..')
const path = join(root, 'packages/kit/dist/commit')

function readCommit() {
  const given = process.env.SHEAF_COMMIT
  if (given) return given
  // In a folder without a repository of its own, Git would find one around it.
  if (!existsSync(join(root, '.git'))) return ''
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return ''
  }
}

const commit = readCommit().trim().slice(0, 12)
mkdirSync(dirname(path), { recursive: true })
// Unchanged files keep their time, which other tools compare.
if (!existsSync(path) || readFileSync(path, 'utf8') !== commit) writeFileSync(path, commit)
