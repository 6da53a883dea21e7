// Lints the OpenAPI document of the gateway with the recommended rules of Redocly and Spectral; warnings fail.
// Renders it from the compiled routes, without starting the gateway. Part of `make check`.
'use strict'

const { execFileSync } = require('node:child_process')
const { join } = require('node:path')
const { Document, Spectral } = require('@stoplight/spectral-core')
const { Json } = require('@stoplight/spectral-parsers')
const { oas } = require('@stoplight/spectral-rulesets')

const root = join(__dirname, '..')
// Rules refuse example.com and localhost.
const origin = 'https://sheaf.example.org'

/** Returns the JSON that a gateway at `origin` serves. `make check` alone has not compiled it. */
function render() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-b', 'gateway'], { cwd: root, stdio: 'inherit' })
  const { createApiPages } = require('../gateway/dist/openapi/docs-page')
  const { createOpenApiDocument, listServers } = require('../gateway/dist/openapi/openapi')
  const { routes } = require('../gateway/dist/routes/index')
  return createApiPages(createOpenApiDocument(routes), listServers).json(origin).toString()
}

async function lintWithRedocly(source) {
  // An ES module; `import()` loads it on every supported Node without a warning.
  const { createConfig, lintFromString } = await import('@redocly/openapi-core')
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  return problems.map(
    ({ severity, ruleId, message, location: [place] }) =>
      `redocly ${severity} ${ruleId}: ${message} (${place.pointer})`,
  )
}

async function lintWithSpectral(source) {
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas, 'recommended']] })
  const problems = await spectral.run(new Document(source, Json, '/openapi.json'))
  return problems.map(
    ({ code, message, path }) => `spectral ${code}: ${message} (#/${path.join('/')})`,
  )
}

async function check() {
  const source = render()
  return [...(await lintWithRedocly(source)), ...(await lintWithSpectral(source))]
}

check().then(
  (problems) => {
    for (const problem of problems) console.error(problem)
    if (problems.length > 0) process.exitCode = 1
  },
  (error) => {
    console.error(error)
    process.exitCode = 1
  },
)
