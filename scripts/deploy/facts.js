// Extracts the facts against which deployments are checked from the code. The settings of each service are
// found by running its own readConfig, from its source.
'use strict'

const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { parse } = require('yaml')
const { services } = require('../image-folder')
const { loadTypeScript } = require('../load-typescript')

const root = join(__dirname, '../..')

/** Placeholder for a program's own settings in its environment; no other setting has this name. */
const ofAny =
  /^(OTEL_\w+|NODE_\w+|UV_THREADPOOL_SIZE|SHEAF_LOG_LEVEL|SHEAF_METRICS_LISTEN|TZ|POD_NAME|POD_IP|SSL_CERT_FILE)$/

/** Reads the facts about a service from its code: its settings, and what it reports health of besides the process. */
function readService(folder) {
  const source = readFileSync(join(root, folder, 'src/service.ts'), 'utf8')
  const health = [...source.matchAll(/\bsetHealth\('(\w+)'/g)].map(([, name]) => name)
  return {
    ...readSettings(require(join(root, folder, 'src/config.ts')).readConfig),
    health: new Set(health),
  }
}

/** Reads the facts about the operator's command from its code. */
function readCommand() {
  const command = require(join(root, 'packages/cli/src/settings.ts'))
  return readSettings((env) => command.readSettings(env, '/'))
}

/** Returns the settings that a program reads, by observing it. */
function readSettings(readConfig) {
  const settings = new Set()
  const read = (env) => {
    const recorder = new Proxy(env, { get: (from, name) => (settings.add(name), from[name]) })
    try {
      return { config: readConfig(recorder), faults: [] }
    } catch (error) {
      if (!error.faults) throw error
      return { config: undefined, faults: error.faults }
    }
  }
  read({})
  return { read, knows: (name) => settings.has(name) || ofAny.test(name) }
}

/** Returns the number assigned to a constant in the code. */
function readNumber(file, name) {
  const found = new RegExp(`\\b${name} = ([\\d_]+)`).exec(readFileSync(join(root, file), 'utf8'))
  if (!found) throw new Error(`${file} has no ${name} any more`)
  return Number(found[1].replaceAll('_', ''))
}

/** Returns the versions that deploy/telemetry was written for. */
function readTelemetry() {
  const text = readFileSync(join(root, 'deploy/telemetry/compose.yaml'), 'utf8')
  return Object.fromEntries(
    Object.values(parse(text).services).map(({ image }) => image.split('/').at(-1).split(':')),
  )
}

/** Returns the engine versions that the code is tested with. */
function readEngines() {
  const release = readFileSync(join(root, 'packages/engines/src/nats-release.ts'), 'utf8')
  const { optionalDependencies } = require('../../packages/engines/package.json')
  return {
    ...readTelemetry(),
    nats: /natsVersion = '([\d.]+)'/.exec(release)?.[1],
    postgres: Object.values(optionalDependencies)[0].split('.').slice(0, 2).join('.'),
  }
}

/** Returns all facts that the checks compare with. */
function readFacts() {
  loadTypeScript()
  return {
    services: Object.fromEntries(
      Object.entries(services).map(([name, folder]) => [name, readService(folder)]),
    ),
    command: readCommand(),
    engines: readEngines(),
    stopSeconds: readNumber('packages/kit/src/lifecycle.ts', 'STOP_LIMIT_MS') / 1000,
  }
}

module.exports = { readFacts }
