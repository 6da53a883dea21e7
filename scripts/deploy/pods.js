// Inspects objects that have pods.
'use strict'

const kinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob']

/** Returns the pod template of an object. */
function templateOf({ kind, spec }) {
  return kind === 'CronJob' ? spec.jobTemplate.spec.template : spec.template
}

/** Returns all workloads with their labels and pods. */
function findWorkloads(objects) {
  return objects
    .filter(({ kind }) => kinds.includes(kind))
    .map((object) => {
      const { metadata, spec } = templateOf(object)
      const labels = metadata?.labels ?? {}
      return { name: object.metadata.name, kind: object.kind, object, labels, pod: spec }
    })
}

/** Returns whether a selector matches these labels; one without labels matches all. */
function selects(selector, labels) {
  return Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value)
}

/** Returns the object of a kind with a name. */
function find(objects, kind, name) {
  return objects.find((object) => object.kind === kind && object.metadata.name === name)
}

/** Returns the number of a port that may be given by name. */
function portNumber(container, port) {
  if (typeof port === 'number') return port
  return container.ports?.find(({ name }) => name === port)?.containerPort
}

/** Expands references of the form $(NAME). */
function expand(text, env) {
  return text.replace(/\$\((\w+)\)/g, (whole, name) => env[name] ?? whole)
}

/** Returns the data of all ConfigMaps and Secrets as one map. */
function findHolders(objects, secrets) {
  const maps = objects.filter(({ kind }) => kind === 'ConfigMap')
  return {
    configMap: new Map(
      maps.map(({ metadata, data = {} }) => [metadata.name, new Map(Object.entries(data))]),
    ),
    secret: secrets,
  }
}

/** Returns a value that is read from another object, or a fault. */
function readValue(name, { fieldRef, secretKeyRef, configMapKeyRef }, holders) {
  if (fieldRef) return { value: `field-of-${name.toLowerCase()}` }
  const from = secretKeyRef ? holders.secret : holders.configMap
  const reference = secretKeyRef ?? configMapKeyRef
  const value = from.get(reference.name)?.get(reference.key)
  if (value !== undefined || reference.optional) return { value }
  return { fault: `${name} is taken from ${reference.name}, which has no ${reference.key}` }
}

/** Returns the variables that a container reads from whole ConfigMaps and Secrets. */
function readHolders({ envFrom = [] }, holders) {
  const env = {}
  const faults = []
  for (const { configMapRef, secretRef } of envFrom) {
    const { name } = configMapRef ?? secretRef
    const held = (configMapRef ? holders.configMap : holders.secret).get(name)
    if (held) Object.assign(env, Object.fromEntries(held))
    else faults.push(`is given ${name}, which there is not`)
  }
  return { env, faults }
}

/** Returns the environment of a container, with its faults. */
function readEnvironment(container, { objects, secrets }) {
  const holders = findHolders(objects, secrets)
  const { env, faults } = readHolders(container, holders)
  for (const { name, value: text, valueFrom } of container.env ?? []) {
    if (name in env) faults.push(`is given ${name} twice`)
    const { value, fault } = valueFrom
      ? readValue(name, valueFrom, holders)
      : { value: expand(text ?? '', env) }
    if (fault) faults.push(fault)
    if (value !== undefined) env[name] = value
  }
  return { env, faults }
}

/** Returns the Secrets of an overlay, both generated and external, as maps of maps. */
function findSecrets(objects, outside) {
  const made = objects
    .filter(({ kind }) => kind === 'Secret')
    .map(({ metadata, data = {} }) => {
      const entries = Object.entries(data)
      const texts = entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])
      return [metadata.name, new Map(texts)]
    })
  return new Map([...outside, ...made])
}

module.exports = { find, findSecrets, findWorkloads, portNumber, readEnvironment, selects }
