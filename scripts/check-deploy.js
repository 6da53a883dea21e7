// Checks deploy/, the Tiltfile and the systemd unit against the code and the schemas of Kubernetes. Needs no
// cluster and no network. Part of `make check`.
'use strict'

const { readFacts } = require('./deploy/facts')
const { buildAll, isForDevelopment } = require('./deploy/manifests')
const { checkRules } = require('./deploy/rules')
const { checkSchemas } = require('./deploy/schemas')
const { readSecretsExample, checkFiles } = require('./deploy/files')

function check() {
  const facts = readFacts()
  const outside = readSecretsExample()
  const built = buildAll()
  const faults = built.flatMap(({ name, objects }) => {
    const mayHoldSecrets = isForDevelopment(name)
    return checkRules(objects, {
      facts,
      outside: mayHoldSecrets ? new Map() : outside,
      mayHoldSecrets,
    }).map((fault) => `${name}: ${fault}`)
  })
  const all = new Map(built.flatMap(({ objects }) => objects).map((o) => [JSON.stringify(o), o]))
  return [...checkSchemas([...all.values()]), ...faults, ...checkFiles(facts)]
}

const faults = check()
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
