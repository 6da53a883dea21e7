// Checks that addresses in settings lead to a service, and that network policies permit the calls.
'use strict'

const { find, findWorkloads, portNumber, selects } = require('./pods')

/** A cluster service with a port in a setting: alone, in a URL, or in a list. */
const ADDRESS = /(?:^|[/@,.])([a-z][a-z0-9-]*):(\d+)(?=[/,]|$)/g
/** Host names that look like a cluster service but are not. */
const elsewhere = /^(localhost|com|net|org|example)$/

/** Returns the services and ports that a setting names. */
function readTargets(value) {
  return [...value.matchAll(ADDRESS)]
    .map(([, name, port]) => ({ name, port: Number(port) }))
    .filter(({ name }) => !elsewhere.test(name))
}

/** Returns whether a peer of a policy selects these pods of the same namespace. */
function isPeer({ podSelector, namespaceSelector, ipBlock }, labels) {
  return podSelector && !namespaceSelector && !ipBlock && selects(podSelector, labels)
}

/** Returns whether the policies of one direction permit traffic between these pods and others at a port. */
function allows(objects, direction, [own, other], port) {
  const side = direction === 'Ingress' ? 'from' : 'to'
  return objects
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && selects(spec.podSelector, own))
    .flatMap(({ spec }) => spec[direction.toLowerCase()] ?? [])
    .some(
      (rule) =>
        (rule[side] ?? []).some((peer) => isPeer(peer, other)) &&
        (rule.ports ?? []).some((open) => open.port === port),
    )
}

/** Returns what prevents a call of these pods from reaching its target; undefined for nothing. */
function findObstacle(objects, labels, { name, port }) {
  const service = find(objects, 'Service', name)
  if (!service) return `there is no Service ${name}`
  const open = service.spec.ports.find((candidate) => candidate.port === port)
  if (!open) return `Service ${name} has no port ${port}`
  const target = findWorkloads(objects).find((workload) =>
    selects({ matchLabels: service.spec.selector }, workload.labels),
  )
  if (!target) return `Service ${name} has no pods`
  const number = portNumber(target.pod.containers[0], open.targetPort ?? open.port)
  if (number === undefined) return `the pods of Service ${name} have no port ${open.targetPort}`
  if (!allows(objects, 'Egress', [labels, target.labels], number))
    return `no NetworkPolicy lets it out to ${name}:${number}`
  if (!allows(objects, 'Ingress', [target.labels, labels], number))
    return `no NetworkPolicy lets it in at ${name}:${number}`
  return undefined
}

/** Returns the faults of the addresses in the environment of a workload. */
function checkAddresses(objects, { labels }, env) {
  return Object.entries(env).flatMap(([name, value]) =>
    readTargets(value)
      // Listen addresses and advertised addresses are not call targets.
      .filter(() => !/_LISTEN$|^SHEAF_DOCUMENT_DATA_ADDRESS$|^SHEAF_PUBLIC_URL$/.test(name))
      .flatMap((target) => {
        const obstacle = findObstacle(objects, labels, target)
        return obstacle === undefined ? [] : [`${name} names ${target.name}, but ${obstacle}`]
      }),
  )
}

/**
 * Returns the faults of the route to document-data: directory returns the addresses of its instances, so no
 * setting of their clients names them.
 */
function checkWayToHomes(objects, { labels }) {
  const [{ port } = {}] = find(objects, 'Service', 'document-data')?.spec.ports ?? []
  const obstacle = findObstacle(objects, labels, { name: 'document-data', port })
  return obstacle === undefined ? [] : [`calls document-data, but ${obstacle}`]
}

/**
 * Returns the faults of the address that a document-data instance advertises: the name that its Service gives
 * to its pod.
 */
function checkHome({ object }, { ports = [] }, env) {
  const { SHEAF_INSTANCE_NAME: home, SHEAF_DOCUMENT_DATA_ADDRESS: address } = env
  const host = `${home}.${object.spec.serviceName}.${object.metadata.namespace}.svc`
  const isThere = ports.some(({ containerPort }) => address === `${host}:${containerPort}`)
  return isThere ? [] : [`says that it is at ${address}, and is at ${host}`]
}

module.exports = { checkAddresses, checkHome, checkWayToHomes }
