// Runs the checks of `make check`, two at a time, and prints one line for each; the output of a failed check
// follows its line. Arguments: names of the checks to run, all by default.
'use strict'

const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const root = join(__dirname, '..')
const cache = 'node_modules/.cache'
const protos = join(root, 'protos')
const tsc = 'node_modules/typescript-7/bin/tsc'

// Slow checks first, so that quick ones run alongside them.
const checks = {
  // Without its cache, which ignores type information and would keep reporting errors that a change in
  // another file has fixed.
  eslint: ['eslint', '.', '--max-warnings=0'],
  types: [
    'node',
    tsc,
    '-p',
    'tsconfig.check.json',
    '--incremental',
    '--tsBuildInfoFile',
    `${cache}/check.tsbuildinfo`,
  ],
  'console types': ['node', tsc, '-p', 'gateway/console/tsconfig.json'],
  imports: [
    'depcruise',
    '--config',
    '.dependency-cruiser.js',
    '--output-type',
    'err',
    '{packages,services}/*/{src,tests}',
    'gateway/{src,tests}',
    'gateway/console/src',
    'tests',
    'bench',
  ],
  deploy: ['node', 'scripts/check-deploy.js'],
  openapi: ['node', 'scripts/check-openapi.js'],
  'dead code': ['knip', '--no-progress', '--no-config-hints'],
  format: ['prettier', '--check', '--log-level=warn', '--cache', '.'],
  'buf lint': ['buf', 'lint'],
  'buf breaking': ['buf', 'breaking', '--against', 'baseline.binpb'],
}

/** Runs one check; resolves to whether it passed. */
async function run(name) {
  const [program, ...args] = checks[name]
  const started = performance.now()
  const path = program === 'node' ? process.execPath : join(root, 'node_modules/.bin', program)
  const child = spawn(path, args, {
    cwd: program === 'buf' ? protos : root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }) },
  })
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += chunk))
  child.stderr.on('data', (chunk) => (printed += chunk))
  const passed = await new Promise((resolve) => {
    child.on('error', (error) => {
      printed += error.message
      resolve(false)
    })
    child.on('close', (code) => resolve(code === 0))
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(12)} ${seconds} s`)
  if (!passed) console.log(`${printed.trim()}\n`)
  return passed
}

/** Runs checks from the queue until it is empty; resolves to whether all passed. */
async function work(queue) {
  let passed = true
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    passed = (await run(name)) && passed
  }
  return passed
}

async function main(names) {
  const unknown = names.find((name) => !(name in checks))
  if (unknown) throw new Error(`no check ${unknown}; there are: ${Object.keys(checks).join(', ')}`)
  if (!existsSync(join(protos, 'baseline.binpb'))) {
    throw new Error('protos/baseline.binpb is missing: `make protos-baseline` makes it')
  }
  const queue = names.length > 0 ? [...names] : Object.keys(checks)
  const results = await Promise.all([work(queue), work(queue)])
  if (results.includes(false)) process.exitCode = 1
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
