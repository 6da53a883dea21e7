// Lints the OpenAPI document with the recommended rules of Redocly and with those of Spectral; prints every finding and
// exits with 1 if there is one. The document comes from the sources of the gateway.
'use strict'

const { join } = require('node:path')
const { loadTypeScript } = require('./load-typescript')

const root = join(__dirname, '..')

function renderDocument() {
  loadTypeScript()
  const { createOpenApiDocument, listServers } = require(
    join(root, 'gateway/src/openapi/openapi.ts'),
  )
  const { routes } = require(join(root, 'gateway/src/routes/index.ts'))
  return { ...createOpenApiDocument(routes), servers: listServers('https://sheaf.invalid') }
}

async function lintByRedocly(source) {
  const { createConfig, lintFromString } = await import('@redocly/openapi-core')
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, config })
  return problems.map(({ ruleId, message, location }) => {
    const places = location.map(({ pointer }) => pointer ?? '')
    return `redocly ${ruleId}: ${message} (${places.join(', ')})`
  })
}

async function lintBySpectral(source) {
  const { Spectral, Document } = require('@stoplight/spectral-core')
  const { oas } = require('@stoplight/spectral-rulesets')
  const { Json } = require('@stoplight/spectral-parsers')
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas, 'recommended']] })
  const problems = await spectral.run(new Document(source, Json, 'openapi.json'))
  return problems.map(
    ({ code, message, path }) => `spectral ${code}: ${message} (${path.join('/')})`,
  )
}

async function main() {
  const source = JSON.stringify(renderDocument())
  const problems = [...(await lintByRedocly(source)), ...(await lintBySpectral(source))]
  for (const problem of problems) console.log(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}

void main()
