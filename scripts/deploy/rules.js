// Rules for deployed objects beyond their schemas. Each rule returns its faults as sentences.
'use strict'

const { checkAddresses, checkHome, checkWayToHomes } = require('./network')
const { find, findSecrets, findWorkloads, portNumber, readEnvironment, selects } = require('./pods')

/** Returns the service whose image a container runs; undefined for other images. */
function serviceOf({ image = '' }, services) {
  const name = image
    .replace(/:[^:/]*$/, '')
    .split('/')
    .at(-1)
  const service = name.startsWith('sheaf-') ? name.slice('sheaf-'.length) : undefined
  return service !== undefined && service in services ? service : undefined
}

/** An image must belong to a service by name, or be known; every image must have a version. */
function checkImage({ image = '' }, { services, engines }) {
  const [path, tag = ''] = image.split(/:(?=[^/:]*$)/)
  const name = path.split('/').at(-1)
  const isOf = (version) => tag === version || tag.startsWith(`${version}-`)
  if (tag === '' || tag === 'latest') return [`image ${image} has no version`]
  if (name in engines)
    return isOf(engines[name])
      ? []
      : [`image ${image} is not ${engines[name]}, with which Sheaf is tried`]
  return serviceOf({ image }, services) !== undefined
    ? []
    : [`image ${image} is not one of ours, and not known`]
}

/** Checks the privileges and resources of a container. */
function checkSecurity({ securityContext = {}, resources = {} }) {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = securityContext
  const sizes = ['requests', 'limits'].flatMap((side) =>
    ['cpu', 'memory']
      .filter((what) => resources[side]?.[what] === undefined)
      .map((what) => `has no ${what} in its ${side}`),
  )
  return [
    ...(allowPrivilegeEscalation === false ? [] : ['may gain privileges']),
    ...(readOnlyRootFilesystem === true ? [] : ['may write to its image']),
    ...(capabilities?.drop?.includes('ALL') ? [] : ['keeps capabilities']),
    ...sizes,
  ]
}

/** Checks the identity and placement of a pod. */
function checkPod({ pod, object }, objects) {
  const { securityContext = {}, serviceAccountName } = pod
  const volumes = new Set([
    ...(pod.volumes ?? []).map(({ name }) => name),
    ...(object.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
  ])
  const mounts = pod.containers.flatMap(({ volumeMounts = [] }) => volumeMounts)
  const missing = mounts.filter(({ name }) => !volumes.has(name))
  const claims = (pod.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim ?? [])
  const unclaimed = claims.filter(
    ({ claimName }) => !find(objects, 'PersistentVolumeClaim', claimName),
  )
  return [
    ...(securityContext.runAsNonRoot === true ? [] : ['may run as root']),
    ...(securityContext.seccompProfile?.type === 'RuntimeDefault'
      ? []
      : ['has no seccomp profile']),
    ...(pod.automountServiceAccountToken === false ? [] : ['gets a token of the cluster']),
    ...(find(objects, 'ServiceAccount', serviceAccountName) ? [] : ['has no account of its own']),
    ...missing.map(({ name }) => `mounts ${name}, which it does not have`),
    ...unclaimed.map(({ claimName }) => `has the claim ${claimName}, which there is not`),
  ]
}

/** Returns the duration of preStop in seconds. */
function pauseOf({ lifecycle }) {
  return lifecycle?.preStop?.sleep?.seconds ?? 0
}

const portOf = (listen) => Number(/\d*$/.exec(listen)[0])

/** Returns the ports on which a service answers probes, which have no certificate. */
function findProbed({ port, listen, healthListen, tls }) {
  if (listen === undefined) return [port]
  return [...(tls ? [] : [listen]), ...(healthListen ? [healthListen] : [])].map(portOf)
}

/** Probes must ask for what is answered, and the container must be given enough time to stop. */
function checkLife({ pod }, container, { config, health, stopSeconds }) {
  const probed = config && findProbed(config)
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].flatMap((name) => {
    const probe = container[name]
    if (!probe) return [`has no ${name}`]
    const asked = probe.grpc?.service
    if (asked !== undefined && !health.has(asked))
      return [`has a ${name} that asks for ${asked}, of which it reports no health`]
    const port = portNumber(container, probe.grpc?.port ?? probe.httpGet?.port)
    const isOpen = (container.ports ?? []).some(({ containerPort }) => containerPort === port)
    if (!isOpen) return [`has a ${name} at a port that it does not name`]
    return !probed || probed.includes(port) ? [] : [`answers no ${name} at ${port}`]
  })
  const needed = stopSeconds + pauseOf(container)
  const isShort = (pod.terminationGracePeriodSeconds ?? 30) <= needed
  return [...probes, ...(isShort ? [`is ended before ${needed} s, which it may need to stop`] : [])]
}

/** The settings of a service must match those that its code reads. */
function checkSettings(container, env, service) {
  const unknown = Object.keys(env).filter((name) => !service.knows(name))
  const { config, faults } = service.read(env)
  const listen = config?.listen ?? `${config?.host}:${config?.port}`
  const [host, port] = [listen.replace(/:\d*$/, ''), portOf(listen)]
  const isOpen = (container.ports ?? []).some(({ containerPort }) => containerPort === port)
  return [
    ...unknown.map((name) => `is given ${name}, which it does not read`),
    ...faults,
    ...(!config || isOpen ? [] : [`listens on ${port}, which is none of its ports`]),
    ...(!config || /^(0\.0\.0\.0|\[?::\]?)$/.test(host) ? [] : [`listens on ${host} only`]),
  ]
}

/** A container must run the service that it is named after, as the code requires. */
function checkService(workload, container, env, { name, objects, facts }) {
  const service = facts.services[name]
  const { config } = service.read(env)
  return [
    ...(name === container.name ? [] : [`runs the image of ${name}`]),
    ...checkSettings(container, env, service),
    ...checkLife(workload, container, {
      config,
      health: service.health,
      stopSeconds: facts.stopSeconds,
    }),
    ...(name === 'document-data' ? checkHome(workload, container, env) : []),
    // Instances call each other only with replication.
    ...(name === 'document-data' && !config?.replication ? [] : checkWayToHomes(objects, workload)),
  ]
}

/** The operator's command must receive the settings that it reads, and must reach all documents. */
function checkCommand(workload, env, { objects, facts: { command } }) {
  const unknown = Object.keys(env).filter((name) => !command.knows(name))
  return [
    ...unknown.map((name) => `is given ${name}, which the operator's command does not read`),
    ...command.read(env).faults,
    ...checkWayToHomes(objects, workload),
  ]
}

/** Returns all faults of a workload. */
function checkWorkload(workload, { objects, secrets, facts }) {
  const { kind, name, pod } = workload
  const ofContainers = pod.containers.flatMap((container) => {
    const { env, faults } = readEnvironment(container, { objects, secrets })
    const service = serviceOf(container, facts.services)
    // Every image has the operator's command, which runs to completion and does not listen.
    const isCommand = service !== undefined && container.command?.includes('sheaf.js')
    const ofOurs = isCommand
      ? checkCommand(workload, env, { objects, facts })
      : service
        ? checkService(workload, container, env, { name: service, objects, facts })
        : []
    const all = [...faults, ...checkImage(container, facts), ...checkSecurity(container)]
    const sentences = [...all, ...ofOurs, ...checkAddresses(objects, workload, env)]
    return sentences.map((sentence) => `container ${container.name} ${sentence}`)
  })
  return [...checkPod(workload, objects), ...ofContainers].map((it) => `${kind} ${name}: ${it}`)
}

/** Returns the labels by which an object selects pods; undefined for other kinds. */
function selectorOf({ kind, spec }) {
  if (kind === 'Service') return { matchLabels: spec.selector }
  if (kind === 'PodDisruptionBudget') return spec.selector
  if (kind === 'NetworkPolicy') return spec.podSelector
  return undefined
}

/** An autoscaler must have a target, of which it alone sets the number. */
function checkScaler({ scaleTargetRef: { kind, name } }, objects) {
  const target = find(objects, kind, name)
  if (!target) return [`scales ${name}, which there is not`]
  if (target.spec.replicas === undefined) return []
  return [`scales ${name}, of which applying the manifests sets the number again`]
}

/** Every object that is referenced must exist. */
function checkReferences(object, objects) {
  const { kind, spec } = object
  const selector = selectorOf(object)
  const workloads = findWorkloads(objects)
  const faults = []
  if (selector && !workloads.some(({ labels }) => selects(selector, labels)))
    faults.push('selects no pods')
  if (kind === 'HorizontalPodAutoscaler') faults.push(...checkScaler(spec, objects))
  if (kind === 'StatefulSet' && !find(objects, 'Service', spec.serviceName))
    faults.push(`has no Service ${spec.serviceName}`)
  if (kind === 'Ingress') {
    for (const { service } of spec.rules.flatMap(({ http }) => http.paths.map((p) => p.backend))) {
      const ports = find(objects, 'Service', service.name)?.spec.ports ?? []
      if (
        !ports.some(({ name, port }) => name === service.port.name || port === service.port.number)
      )
        faults.push(`leads to ${service.name}, which has no such port`)
    }
  }
  return faults.map((fault) => `${kind} ${object.metadata.name}: ${fault}`)
}

/** Returns whether all traffic is denied by default. */
function hasDenyAll(objects) {
  return objects.some(
    ({ kind, spec }) =>
      kind === 'NetworkPolicy' &&
      Object.keys(spec.podSelector).length === 0 &&
      ['Ingress', 'Egress'].every((type) => spec.policyTypes?.includes(type)) &&
      !spec.ingress &&
      !spec.egress,
  )
}

/**
 * Returns the faults of all objects of an overlay, one sentence each.
 * @param outside externally provided Secrets: maps of their keys to sample values
 */
function checkRules(objects, { facts, outside = new Map(), mayHoldSecrets = false }) {
  const secrets = findSecrets(objects, outside)
  const workloads = findWorkloads(objects)
  return [
    ...(hasDenyAll(objects) ? [] : ['no NetworkPolicy denies everything']),
    ...objects
      .filter(({ kind }) => kind === 'Secret' && !mayHoldSecrets)
      .map(
        ({ metadata }) => `Secret ${metadata.name}: secrets of production do not stand in files`,
      ),
    ...Object.keys(facts.services)
      .filter((name) => !workloads.some((workload) => workload.name === name))
      .map((name) => `there is no workload ${name}`),
    ...workloads.flatMap((workload) => checkWorkload(workload, { objects, secrets, facts })),
    ...objects.flatMap((object) => checkReferences(object, objects)),
  ]
}

module.exports = { checkRules }
