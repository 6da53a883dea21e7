// Long-running fault tests: every fault in many rounds with a time limit, and the unit tests, random edits of formulas
// and random compiled formulas, whose property tests use new cases each time. Arguments: rounds of each fault (50), and maximum seconds per test (900).
// Prints a summary; the last line is `N passed, M failed`.
'use strict'

const { spawnSync } = require('node:child_process')
const { join } = require('node:path')

const [rounds = '50', seconds = '900'] = process.argv.slice(2)
for (const [name, value] of Object.entries({ rounds, seconds })) {
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`${name} must be a whole number, not ${value}`)
}

// A test checks its limit between rounds, and may finish the current one.
const limitMs = (Number(seconds) + 600) * 1000
const { status } = spawnSync(
  process.execPath,
  [
    join(__dirname, 'test.js'),
    ...['tests/faults', '/src/', 'tests/formulas/random-edits', 'tests/formulas/compiled'],
    '--runInBand',
    `--testTimeout=${limitMs}`,
  ],
  {
    stdio: 'inherit',
    env: {
      SHEAF_FUZZ_SEED: String(Date.now() % 2 ** 31),
      ...process.env,
      SHEAF_SOAK_ROUNDS: rounds,
      SHEAF_SOAK_SECONDS: seconds,
    },
  },
)
process.exitCode = status ?? 1
