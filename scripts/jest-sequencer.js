// The order of the suites: longest first, so that no worker ends long after the others. How long a suite took, jest keeps
// in its cache; without that, as in CI, its kind says how long it will take.
'use strict'

const { dirname, relative } = require('node:path')

// A dependency of jest, which brings its own version of it.
const sequencer = require.resolve('@jest/test-sequencer', {
  paths: [dirname(require.resolve('jest/package.json'))],
})
const { default: Sequencer } = require(sequencer)

/** Typical durations in milliseconds of the suites below a path; the first match counts. */
const kinds = [
  [/^tests\/faults\//, 60_000],
  [/^packages\/(engines|standalone)\/tests\//, 50_000],
  [/^tests\/(console|conformance|fuzz)\//, 25_000],
  [/^tests\/flows\//, 15_000],
  [/^tests\//, 6_000],
  [/\/tests\//, 4_000],
  [/^/, 500],
]

class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    return sorted
      .map((test) => ({ test, duration: test.duration ?? expectDuration(test) }))
      .sort((a, b) => b.duration - a.duration)
      .map(({ test }) => test)
  }
}

function expectDuration({ path, context }) {
  const name = relative(context.config.rootDir, path)
  return kinds.find(([pattern]) => pattern.test(name))[1]
}

module.exports = LongestFirst
