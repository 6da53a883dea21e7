// What tests get for `fast-check`: the cases it draws are the same each time, so that a failure is of the change at hand.
// SHEAF_FUZZ_SEED=N draws others.
'use strict'

const fc = require('../node_modules/fast-check/lib/cjs/fast-check.js')

fc.configureGlobal({ seed: Number(process.env.SHEAF_FUZZ_SEED ?? 1) })

module.exports = fc
