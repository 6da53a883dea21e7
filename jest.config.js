// Four kinds of tests: unit (next to the source, without processes), service (one process and the engines),
// system (all), fault (all, while processes are killed and disks fill up).
'use strict'

const { compilerOptions } = require('./tsconfig.check.json')

/** The path aliases of the type-checker, so that tests run the sources of every package. */
const moduleNameMapper = {
  // kit finds the descriptors next to the generated code.
  '^@sheaf/protos/package\\.json$': '<rootDir>/protos/package.json',
  // Tests on another Node than that of node_modules: see scripts/other-node.js.
  ...(process.env.SHEAF_TEST_SQLITE && { '^better-sqlite3$': process.env.SHEAF_TEST_SQLITE }),
  '^fast-check$': '<rootDir>/scripts/jest-fast-check.js',
  ...Object.fromEntries(
    Object.entries(compilerOptions.paths).map(([alias, [source]]) => [
      `^${alias.replace('*', '(.*)')}$`,
      source.replace('./', '<rootDir>/').replace('*', '$1'),
    ]),
  ),
}

const swc = {
  jsc: {
    parser: { syntax: 'typescript' },
    // Also compiles `await using`, which Node 20 does not support.
    target: 'es2022',
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
}

/** One kind of tests; those that need engines share one PostgreSQL and one NATS. */
const project = (displayName, testMatch, { engines, setup = [], ignored = [] }) => ({
  displayName,
  rootDir: __dirname,
  testEnvironment: 'node',
  testMatch: testMatch.map((glob) => `<rootDir>/${glob}`),
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...ignored],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/data/'],
  transform: { '\\.ts$': ['@swc/jest', swc] },
  moduleNameMapper,
  setupFilesAfterEnv: setup.map((path) => `<rootDir>/${path}`),
  ...(engines && {
    globalSetup: '<rootDir>/scripts/jest-engines.js',
    globalTeardown: '<rootDir>/scripts/jest-engines-stop.js',
  }),
})

module.exports = {
  // The cores of a small machine: a suite of the whole system has some ten processes of its own, and with more suites at
  // once all of them take several times as long.
  maxWorkers: 2,
  // A worker that has run many suites is replaced: each leaves storages of asynchronous contexts behind, which Node 20 visits
  // for every promise, so that after some hundred suites a third of the time would be spent on them.
  workerIdleMemoryLimit: '500MB',
  testSequencer: '<rootDir>/scripts/jest-sequencer.js',
  // For a whole system on a busy machine; jest has no per-project timeout.
  testTimeout: 360_000,
  projects: [
    project(
      'unit',
      [
        '{packages,services}/*/src/**/*.test.ts',
        '{gateway,gateway/console,bench}/src/**/*.test.ts',
        'protos/*.test.ts',
      ],
      {
        engines: false,
      },
    ),
    project('service', ['{packages,services}/*/tests/**/*.test.ts', 'gateway/tests/**/*.test.ts'], {
      engines: true,
    }),
    project('system', ['tests/**/*.test.ts'], {
      engines: true,
      ignored: ['<rootDir>/tests/faults/'],
      setup: ['tests/support/check-statuses.ts'],
    }),
    project('fault', ['tests/faults/**/*.test.ts'], {
      engines: true,
      setup: ['tests/support/check-statuses.ts'],
    }),
  ],
}
