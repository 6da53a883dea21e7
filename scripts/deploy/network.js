// Whether the addresses in settings lead somewhere, and whether the policies let calls through.
'use strict'

const { find, findWorkloads, portNumber, selects } = require('./pods')

/** A service of the cluster and a port in a setting, alone, in an address, or one of several. */
const ADDRESS = /(?:^|[/@,.])([a-z][a-z0-9-]*):(\d+)(?=[/,]|$)/g
/** What is no service of the cluster although it looks like one. */
const elsewhere = /^(localhost|com|net|org|example)$/

/** The services and ports that a setting names. */
function readTargets(value) {
  return [...value.matchAll(ADDRESS)]
    .map(([, name, port]) => ({ name, port: Number(port) }))
    .filter(({ name }) => !elsewhere.test(name))
}

/** Whether a peer of a policy is these pods of the same namespace. */
function isPeer({ podSelector, namespaceSelector, ipBlock }, labels) {
  return podSelector && !namespaceSelector && !ipBlock && selects(podSelector, labels)
}

/** Whether the policies of one direction let these pods and others meet at a port. */
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

/** What keeps a call of these pods from its target; undefined when nothing does. */
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

/** Faults of the addresses in the environment of a workload. */
function checkAddresses(objects, { labels }, env) {
  return Object.entries(env).flatMap(([name, value]) =>
    readTargets(value)
      // Where it listens, and where others find it, is not what it calls.
      .filter(() => !/_LISTEN$|^SHEAF_DOCUMENT_DATA_ADDRESS$|^SHEAF_PUBLIC_URL$/.test(name))
      .flatMap((target) => {
        const obstacle = findObstacle(objects, labels, target)
        return obstacle === undefined ? [] : [`${name} names ${target.name}, but ${obstacle}`]
      }),
  )
}

/** Faults of the way to document-data: directory tells where its instances are, so no setting of those who call names them. */
function checkWayToHomes(objects, { labels }) {
  const [{ port } = {}] = find(objects, 'Service', 'document-data')?.spec.ports ?? []
  const obstacle = findObstacle(objects, labels, { name: 'document-data', port })
  return obstacle === undefined ? [] : [`calls document-data, but ${obstacle}`]
}

/** Faults of where an instance of document-data says that it is: the name that its Service gives to its pod. */
function checkHome({ object }, { ports = [] }, env) {
  const { SHEAF_INSTANCE_NAME: home, SHEAF_DOCUMENT_DATA_ADDRESS: address } = env
  const host = `${home}.${object.spec.serviceName}.${object.metadata.namespace}.svc`
  const isThere = ports.some(({ containerPort }) => address === `${host}:${containerPort}`)
  return isThere ? [] : [`says that it is at ${address}, and is at ${host}`]
}

module.exports = { checkAddresses, checkHome, checkWayToHomes }
