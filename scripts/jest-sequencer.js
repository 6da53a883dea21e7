// Orders the suites by duration, longest first, so that workers finish at about the same time. Durations come
// from jest's cache; without it, as in CI, they are estimated by kind.
'use strict'

const { dirname, relative } = require('node:path')

// A dependency of jest, resolved from there so that the versions match.
const sequencer = require.resolve('@jest/test-sequencer', {
  paths: [dirname(require.resolve('jest/package.json'))],
})
const { default: Sequencer } = require(sequencer)

/** Typical durations in milliseconds of the suites below a path; the first match applies. */
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
