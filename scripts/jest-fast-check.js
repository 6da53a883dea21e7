// Replaces `fast-check` in tests: generated cases are the same in every run, so that a failure is caused by
// the change under test. SHEAF_FUZZ_SEED=N selects other cases.
'use strict'

const fc = require('../node_modules/fast-check/lib/cjs/fast-check.js')

fc.configureGlobal({ seed: Number(process.env.SHEAF_FUZZ_SEED ?? 1) })

module.exports = fc
