// Replays the conformance kit against a Sheaf of its own. `--update` rewrites
// tests/conformance/known-failures.json with the steps that currently fail; `--kit FOLDER` selects the kit; `--compiled`
// leaves out the second replay, in which all formulas run in Python.
// The last line is `N passed, M failed`.
'use strict'

const { spawnSync } = require('node:child_process')
const { join, resolve } = require('node:path')
const { parseArgs } = require('node:util')

const { values } = parseArgs({
  options: { update: { type: 'boolean' }, compiled: { type: 'boolean' }, kit: { type: 'string' } },
})
const tests = values.compiled ? 'tests/conformance/conformance.test' : 'tests/conformance'
const { status } = spawnSync(
  process.execPath,
  [join(__dirname, 'test.js'), '--selectProjects', 'system', '--', tests],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(values.update && { SHEAF_CONFORMANCE_UPDATE: '1' }),
      ...(values.kit && { SHEAF_CONFORMANCE_DIR: resolve(values.kit) }),
    },
  },
)
process.exitCode = status ?? 1
