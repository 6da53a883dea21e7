// Lays out the contents of the image of one service, or of all of Sheaf (`sheaf`, with PostgreSQL and NATS): its
// compiled code, its runtime packages and the operator's command, without development files.
// `node scripts/image-folder.js SERVICE FOLDER`; everything must be built first. `--link` creates hard links instead of copies where the device is the same; `--entry`
// writes only the programs, into an existing layout. deploy/Dockerfile runs it, and tests/deploy starts every
// service from such a folder.
'use strict'

const { execFileSync } = require('node:child_process')
const { cpSync, existsSync, linkSync, mkdirSync, readdirSync, symlinkSync } = require('node:fs')
const { readFileSync, writeFileSync } = require('node:fs')
const { basename, dirname, join, relative, resolve: resolvePath } = require('node:path')

const root = join(__dirname, '..')

/** The services that have an image, with their folders. */
const services = {
  gateway: 'gateway',
  directory: 'services/directory',
  'document-data': 'services/document-data',
  webhook: 'services/webhook',
}
/** All images: those of services, and the one that holds everything. */
const images = { ...services, sheaf: 'packages/standalone' }
const command = 'packages/cli'

/** Files outside the compiled code that a workspace reads at run time. */
const extras = {
  protos: ['gen/descriptors.binpb'],
  gateway: ['console/dist'],
  'services/document-data': ['evaluator'],
}

/** Files of a package that are needed only at compile time. */
const notRun = /\.(d\.[cm]?ts|[cm]?js\.map|tsbuildinfo|test\.js|pyc)$/
/** Sources that were compiled during installation and are stored next to the output. */
const compiled = {
  'node_modules/better-sqlite3': /^(deps|src)(\/|$)|^build\/(?!Release(\/better_sqlite3\.node)?$)/,
}

/**
 * Returns the path to which Node resolves a dependency of the package in `folder`; undefined when it is not
 * installed.
 */
function resolve(packages, folder, name) {
  for (let at = folder; ; at = at.includes('/') ? dirname(at) : '') {
    const path = join(at, 'node_modules', name)
    if (path in packages) return path
    if (at === '') return undefined
  }
}

/**
 * Returns the lock file entries that these folders need at run time, by path; a workspace package also by its
 * folder.
 */
function findNeeded(packages, folders) {
  const needed = new Set()
  const queue = [...folders]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (needed.has(path)) continue
    needed.add(path)
    const { link, resolved, dependencies, optionalDependencies, peerDependencies } = packages[path]
    if (link) {
      queue.push(resolved)
      continue
    }
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    for (const name of names) {
      const found = resolve(packages, path, name)
      if (found !== undefined && existsSync(join(root, found))) queue.push(found)
      else if (dependencies && name in dependencies) {
        throw new Error(`${path} needs ${name}, which is not installed: run make setup`)
      }
    }
  }
  return needed
}

/** Copies or links files; `isWanted` filters paths relative to `from`. */
function copyTree(from, to, { link, isWanted }) {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const source = join(entry.parentPath, entry.name)
    const path = relative(from, source)
    if (notRun.test(path) || !isWanted(path)) continue
    const target = join(to, path)
    mkdirSync(dirname(target), { recursive: true })
    if (!link || !tryLink(source, target)) cpSync(source, target)
  }
}

/** Links a file; returns false when source and target are on different devices. */
function tryLink(source, target) {
  try {
    linkSync(source, target)
    return true
  } catch (error) {
    if (error.code !== 'EXDEV') throw error
    return false
  }
}

/** Lays out one workspace package: its package.json, its code, and the files that it reads. */
function copyWorkspace(path, folder, link) {
  if (!existsSync(join(root, path, 'dist'))) {
    throw new Error(`${path} is not built: run make build`)
  }
  mkdirSync(join(folder, path), { recursive: true })
  cpSync(join(root, path, 'package.json'), join(folder, path, 'package.json'))
  for (const part of ['dist', ...(extras[path] ?? [])]) {
    const from = join(root, path, part)
    if (!existsSync(from)) throw new Error(`${path}/${part} is missing: run make build`)
    const to = join(folder, path, part)
    if (part.includes('.')) {
      mkdirSync(dirname(to), { recursive: true })
      cpSync(from, to)
    } else copyTree(from, to, { link, isWanted: () => true })
  }
}

/**
 * Copies the files of the formula evaluator, with its snapshot, to where document-data looks for them. A platform without Deno
 * has none.
 */
function copyRuntime(folder, link) {
  const program = join(root, 'services/document-data/dist/evaluator/make-runtime.js')
  const made = execFileSync(process.execPath, [program, join(root, '.cache')], { encoding: 'utf8' })
  const from = made.trim()
  if (from === '') return
  const to = join(folder, '.cache/formulas', basename(from))
  copyTree(from, to, { link, isWanted: () => true })
}

/** Writes a program at the top of the folder, with the same name in every image. */
function writeEntry(folder, name, path) {
  writeFileSync(join(folder, name), `'use strict'\nrequire('./${path}/dist/main.js')\n`)
}

/** Returns the folder of a service. Throws for an unknown service. */
function folderOf(service) {
  const home = images[service]
  if (home !== undefined) return home
  throw new Error(`no image ${service}; there are: ${Object.keys(images).join(', ')}`)
}

/** Writes the programs of an image: the service and the operator's command. */
function writeEntries(service, folder) {
  writeEntry(folder, 'main.js', folderOf(service))
  writeEntry(folder, 'sheaf.js', command)
}

/** Fills an empty or new folder. Throws when something is not built or not installed. */
function fillImageFolder(service, folder, { link = false } = {}) {
  const home = folderOf(service)
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const needed = findNeeded(packages, [home, command])
  mkdirSync(folder, { recursive: true })
  for (const path of needed) {
    const { link: isLink, resolved } = packages[path]
    const to = join(folder, path)
    if (isLink) {
      mkdirSync(dirname(to), { recursive: true })
      symlinkSync(relative(dirname(to), join(folder, resolved)), to)
    } else if (!path.includes('node_modules')) copyWorkspace(path, folder, link)
    else {
      const leftOut = compiled[path]
      // Nested packages have entries of their own.
      const isWanted = (part) => !part.startsWith('node_modules/') && !leftOut?.test(part)
      copyTree(join(root, path), to, { link, isWanted })
    }
  }
  if (needed.has('services/document-data')) copyRuntime(folder, link)
  writeEntries(service, folder)
  return needed.size
}

module.exports = { services }

/** Adds PostgreSQL and NATS, such that they start without downloads, to the folder of the image that holds everything. */
async function addEngines(folder) {
  const { installEngines } = require(join(folder, 'packages/engines/dist/install-engines.js'))
  await installEngines(join(folder, 'bin'), {
    path: process.env.PATH,
    log: ({ message }) => console.log(message),
  })
}

/** Runs the command line; resolves to the message to print. */
async function run(args) {
  const options = args.filter((arg) => arg.startsWith('--'))
  const [service, folder] = args.filter((arg) => !arg.startsWith('--'))
  if (!folder) {
    throw new Error('usage: node scripts/image-folder.js [--entry | --link] SERVICE FOLDER')
  }
  if (options.includes('--entry')) {
    writeEntries(service, folder)
    return `${service}: main.js in ${folder}`
  }
  const count = fillImageFolder(service, folder, { link: options.includes('--link') })
  if (service === 'sheaf') await addEngines(resolvePath(folder))
  return `${service}: ${count} packages in ${folder}`
}

if (require.main === module) {
  run(process.argv.slice(2)).then(
    (message) => console.log(message),
    (error) => {
      console.error(error.message)
      process.exitCode = 1
    },
  )
}
