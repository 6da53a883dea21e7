import { readSettings as readCommand } from '@sheaf/cli/settings'
import { readConfig as readDirectory } from '@sheaf/directory/config'
import { readConfig as readDocumentData } from '@sheaf/document-data/config'
import { readConfig as readGateway } from '@sheaf/gateway/config'
import type { ConfigError, Env } from '@sheaf/kit/config'
import { readConfig as readWebhook } from '@sheaf/webhook/config'

/** An object of Kubernetes, of which a test changes whatever it likes. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- its schema is what is checked
type KubernetesObject = any
type Objects = KubernetesObject[]

interface Files {
  checkCompose(text: string, known: { settings: Set<string>; stages: Set<string> }): string[]
  checkDockerfile(text: string, known: { workspaces: string[]; nodeMajor: string }): string[]
  checkTiltfile(
    text: string,
    known: { services: object; isThere: (path: string) => boolean },
  ): string[]
  checkUnit(
    text: string,
    known: { settings: Set<string>; isThere: (path: string) => boolean },
  ): string[]
}
const { buildOverlay } = jest.requireActual<{ buildOverlay(name: string): Objects }>(
  '../../scripts/deploy/manifests',
)
const { checkSchemas } = jest.requireActual<{ checkSchemas(objects: Objects): string[] }>(
  '../../scripts/deploy/schemas',
)
const { checkRules } = jest.requireActual<{
  checkRules(objects: Objects, about: object): string[]
}>('../../scripts/deploy/rules')
const { checkCompose, checkDockerfile, checkTiltfile, checkUnit } = jest.requireActual<Files>(
  '../../scripts/deploy/files',
)

/** A service as the checks see it. */
function describeService(readConfig: (env: Env) => unknown, ...health: string[]) {
  const names = new Set<string | symbol>()
  const read = (env: Env) => {
    try {
      const get = (from: Env, name: string) => (names.add(name), from[name])
      return { config: readConfig(new Proxy(env, { get })), faults: [] }
    } catch (error) {
      return { config: undefined, faults: (error as ConfigError).faults }
    }
  }
  read({})
  const knows = (name: string) => names.has(name) || name.startsWith('OTEL_')
  return { read, knows, health: new Set(health) }
}

const facts = {
  services: {
    gateway: describeService(readGateway),
    directory: describeService(readDirectory),
    'document-data': describeService(readDocumentData, 'documents'),
    webhook: describeService(readWebhook),
  },
  command: describeService((env) => readCommand(env, '/')),
  engines: {
    nats: '2.14.0',
    postgres: '18.4',
    'opentelemetry-collector-contrib': '0.130.0',
    tempo: '2.8.2',
    prometheus: 'v3.5.0',
    grafana: '12.1.0',
  },
  stopSeconds: 30,
}

const dev = buildOverlay('dev')
const replicated = buildOverlay('dev-replicated')

/** The faults of the overlay for development after a change. */
function faultsAfter(
  change: (objects: Objects) => void,
  about: object = {},
  overlay = dev,
): string[] {
  const objects = structuredClone(overlay)
  change(objects)
  return checkRules(objects, { facts, mayHoldSecrets: true, ...about })
}

function find(objects: Objects, kind: string, name: string): KubernetesObject {
  const isIt = (object: KubernetesObject) =>
    object.kind === kind && (object.metadata.name as string).startsWith(name)
  const found: KubernetesObject = objects.find(isIt)
  if (!found) throw new Error(`there is no ${kind} ${name}`)
  return found
}

const podOf = (objects: Objects, kind = 'Deployment', name = 'gateway'): KubernetesObject =>
  find(objects, kind, name).spec.template.spec
const containerOf = (objects: Objects, kind?: string, name?: string): KubernetesObject =>
  podOf(objects, kind, name).containers[0]

describe('the rules for manifests', () => {
  it('find nothing in what is there', () => {
    expect(faultsAfter(() => {})).toEqual([])
  })

  it.each<[string, (objects: Objects) => void, RegExp]>([
    [
      'a setting that the service does not read',
      (all) => (find(all, 'ConfigMap', 'gateway-settings').data.SHEAF_TYPO = '1'),
      /Deployment gateway: container gateway is given SHEAF_TYPO, which it does not read/,
    ],
    [
      'a setting of another service',
      (all) => (find(all, 'ConfigMap', 'webhook-settings').data.SHEAF_TRASH_DAYS = '1'),
      /container webhook is given SHEAF_TRASH_DAYS/,
    ],
    [
      'a setting that is needed and missing',
      (all) => (containerOf(all, 'Deployment', 'directory').env.length = 1),
      /container directory DATABASE_URL \(or DATABASE_URL_FILE\) is not set/,
    ],
    [
      'a malformed setting',
      (all) => (find(all, 'ConfigMap', 'gateway-settings').data.SHEAF_PROXIES = 'two'),
      /SHEAF_PROXIES must be a whole number/,
    ],
    [
      'a key that the secret does not have',
      (all) => (containerOf(all).env[0].valueFrom.secretKeyRef.key = 'KEY'),
      /SHEAF_SERVICE_KEY is taken from sheaf-\w+, which has no KEY/,
    ],
    [
      'an image that nobody knows',
      (all) => (containerOf(all).image = 'registry.example.com/sheaf-gatway:dev'),
      /image registry.example.com\/sheaf-gatway:dev is not one of ours, and not known/,
    ],
    [
      'the image of another service',
      (all) => (containerOf(all).image = 'sheaf-webhook:dev'),
      /container gateway runs the image of webhook/,
    ],
    [
      'an image without a version',
      (all) => (containerOf(all).image = 'sheaf-gateway:latest'),
      /image sheaf-gateway:latest has no version/,
    ],
    [
      'an engine that Sheaf is not tried with',
      (all) => (containerOf(all, 'StatefulSet', 'nats').image = 'nats:2.9.0'),
      /image nats:2.9.0 is not 2.14.0/,
    ],
    [
      'a port at which nobody listens',
      (all) => (containerOf(all).ports[0].containerPort = 8080),
      /container gateway listens on 8484, which is none of its ports/,
    ],
    [
      'a probe at another port',
      (all) => (containerOf(all, 'Deployment', 'directory').livenessProbe.grpc.port = 9),
      /has a livenessProbe at a port that it does not name/,
    ],
    [
      'a probe where only those with a certificate are answered',
      (all) => {
        const names = ['SHEAF_TLS_CERT', 'SHEAF_TLS_KEY', 'SHEAF_TLS_CA']
        const { data } = find(all, 'ConfigMap', 'webhook-settings')
        for (const name of names) data[name] = '/certificate/file'
      },
      /container webhook answers no readinessProbe at 8487/,
    ],
    [
      'an address that nobody else can reach',
      (all) => (find(all, 'ConfigMap', 'gateway-settings').data.SHEAF_HOST = '127.0.0.1'),
      /container gateway listens on 127.0.0.1 only/,
    ],
    [
      'a service that is not there',
      (all) =>
        (find(all, 'ConfigMap', 'gateway-settings').data.SHEAF_WEBHOOK_ADDRESS = 'hooks:8487'),
      /SHEAF_WEBHOOK_ADDRESS names hooks, but there is no Service hooks/,
    ],
    [
      'a port that a service does not have',
      (all) => (find(all, 'Service', 'webhook').spec.ports[0].port = 1),
      /SHEAF_WEBHOOK_ADDRESS names webhook, but Service webhook has no port 8487/,
    ],
    [
      'a call that is not let out',
      (all) => (find(all, 'NetworkPolicy', 'gateway').spec.egress = []),
      /SHEAF_DIRECTORY_ADDRESS names directory, but no NetworkPolicy lets it out to directory:8485/,
    ],
    [
      'a call that is not let in',
      (all) => (find(all, 'NetworkPolicy', 'postgres').spec.ingress[0].ports[0].port = 1),
      /DATABASE_URL names postgres, but no NetworkPolicy lets it in at postgres:5432/,
    ],
    [
      'a call to document-data that is not let in',
      (all) =>
        (find(all, 'NetworkPolicy', 'document-data').spec.ingress[0].from[0] = {
          podSelector: { matchLabels: { nobody: 'here' } },
        }),
      /container gateway calls document-data, but no NetworkPolicy lets it in at document-data:8486/,
    ],
    [
      'documents that are elsewhere than others are told',
      (all) => (find(all, 'StatefulSet', 'document-data').spec.serviceName = 'nats'),
      /says that it is at \S+\.document-data\.sheaf\.svc:8486, and is at \S+\.nats\.sheaf\.svc/,
    ],
    [
      'that nothing is denied',
      (all) => (find(all, 'NetworkPolicy', 'deny-all').spec.policyTypes = ['Ingress']),
      /no NetworkPolicy denies everything/,
    ],
    [
      'a pod that may run as root',
      (all) => delete podOf(all).securityContext.runAsNonRoot,
      /Deployment gateway: may run as root/,
    ],
    [
      'a token of the cluster',
      (all) => delete podOf(all).automountServiceAccountToken,
      /Deployment gateway: gets a token of the cluster/,
    ],
    [
      'an image that can be written to',
      (all) => (containerOf(all, 'StatefulSet', 'nats').securityContext = { capabilities: {} }),
      /StatefulSet nats: container nats may write to its image/,
    ],
    [
      'memory without a limit',
      (all) => delete containerOf(all).resources.limits.memory,
      /container gateway has no memory in its limits/,
    ],
    [
      'a volume that is not there',
      (all) => (podOf(all).volumes = []),
      /Deployment gateway: mounts tmp, which it does not have/,
    ],
    [
      'an end that comes before the process has stopped',
      (all) => (podOf(all).terminationGracePeriodSeconds = 35),
      /container gateway is ended before 35 s, which it may need to stop/,
    ],
    [
      'a selector without pods',
      (all) => (find(all, 'Service', 'webhook').spec.selector = { name: 'web' }),
      /Service webhook: selects no pods/,
    ],
    [
      'a service that is not deployed',
      (all) => void all.splice(all.indexOf(find(all, 'Deployment', 'webhook')), 1),
      /there is no workload webhook/,
    ],
  ])('find %s', (_, change, fault) => {
    expect(faultsAfter(change).join('\n')).toMatch(fault)
  })

  it('find secrets in what is for production', () => {
    const faults = faultsAfter(() => {}, { mayHoldSecrets: false })
    expect(faults.join('\n')).toMatch(/Secret sheaf-\w+: secrets of production/)
  })
})

describe('the rules for manifests with replication', () => {
  const faultsOf = (change: (objects: Objects) => void) => faultsAfter(change, {}, replicated)
  const scaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'document-data' },
    spec: { scaleTargetRef: { kind: 'StatefulSet', name: 'document-data' } },
  }

  it('find nothing in what is there', () => {
    expect(faultsOf(() => {})).toEqual([])
  })

  it.each<[string, (objects: Objects) => void, RegExp]>([
    [
      'instances without a store',
      (all) => delete find(all, 'ConfigMap', 'document-data-settings').data.SHEAF_STORE_FOLDER,
      /container document-data SHEAF_STORE_FOLDER is not set/,
    ],
    [
      'a claim that is not there',
      (all) => void all.splice(all.indexOf(find(all, 'PersistentVolumeClaim', 'store')), 1),
      /StatefulSet document-data: has the claim store, which there is not/,
    ],
    [
      'instances that cannot reach each other',
      (all) => (find(all, 'NetworkPolicy', 'document-data-instances').spec.ingress = []),
      /container document-data calls document-data, but no NetworkPolicy lets it in/,
    ],
    [
      'logs that cannot be reached',
      (all) => (find(all, 'NetworkPolicy', 'document-data-postgres').spec.egress = []),
      /SHEAF_LOG_DATABASE_URL names postgres, but no NetworkPolicy lets it out/,
    ],
    [
      'a probe that asks for what has no health',
      (all) =>
        (containerOf(all, 'StatefulSet', 'document-data').readinessProbe.grpc.service = 'lease'),
      /has a readinessProbe that asks for lease, of which it reports no health/,
    ],
    [
      'a number that the autoscaler sets as well',
      (all) => void all.push(scaler),
      /HorizontalPodAutoscaler document-data: scales document-data, of which applying the manifests sets the number again/,
    ],
  ])('find %s', (_, change, fault) => {
    expect(faultsOf(change).join('\n')).toMatch(fault)
  })
})

describe('the schemas', () => {
  const broken = (change: (objects: Objects) => void): KubernetesObject => {
    const objects = [structuredClone(find(dev, 'Deployment', 'gateway'))]
    change(objects)
    return objects[0]
  }

  it('find what does not exist, however deep, what is missing, and what is of another type', () => {
    const faults = checkSchemas([
      broken((all) => (containerOf(all).livenessProbe.httpGet.pth = '/')),
      broken((all) => delete find(all, 'Deployment', 'gateway').spec.selector),
      broken((all) => (podOf(all).terminationGracePeriodSeconds = '45')),
      broken((all) => (all[0].apiVersion = 'apps/v9')),
    ])
    expect(faults.join('\n')).toMatch(
      /^Deployment gateway, at "pth": "\/": .*'"pth"' does not exist/m,
    )
    expect(faults.join('\n')).toMatch(/^Deployment gateway, at "spec": .*"selector"' is missing/m)
    expect(faults.join('\n')).toMatch(/Type 'string' is not assignable to type 'number'/)
    expect(faults).toContain('Deployment gateway: there is no Deployment in apps/v9')
  })

  it('find nothing in what is there', () => {
    const kinds = ['HorizontalPodAutoscaler', 'NetworkPolicy', 'StatefulSet', 'Secret']
    expect(checkSchemas(dev.filter(({ kind }) => kinds.includes(kind as string)))).toEqual([])
  })
})

describe('the checks of other files', () => {
  const isThere = (path: string) => path === 'packages/standalone/src/main.ts'

  it('find a workspace that the Dockerfile forgets, and another version of Node', () => {
    const text = 'ARG NODE=18.0.0\nFROM a\nCOPY --chown=1 gateway/package.json gateway/\nUSER 1:1\n'
    expect(checkDockerfile(text, { workspaces: ['gateway', 'tests'], nodeMajor: '20' })).toEqual([
      'deploy/Dockerfile does not copy tests/package.json',
      'deploy/Dockerfile runs Node 18, not 20',
    ])
  })

  it('find a stage of the Dockerfile that starts its program as root', () => {
    const stages = [
      'ARG NODE=20.0.0\nFROM a AS base\nUSER 1:1',
      'FROM base AS sound\nENTRYPOINT ["a"]',
      'FROM a AS whole\nENTRYPOINT ["a"]',
      'FROM base AS again\nUSER 1:1\nUSER root\nENTRYPOINT ["a"]',
      'FROM base AS last\nUSER 1:1\nENTRYPOINT ["a"]\n',
    ]
    const text = stages.join('\n\n')
    expect(checkDockerfile(text, { workspaces: [], nodeMajor: '20' })).toEqual([
      'deploy/Dockerfile runs the stage whole as root',
      'deploy/Dockerfile runs the stage again as root',
    ])
  })

  it('find a path of the Tiltfile that there is not, and a service without an image', () => {
    const text = '# "docs/gone"\nSERVICES = {"gateway": "services/gateway"}'
    expect(checkTiltfile(text, { services: { gateway: '', webhook: '' }, isThere })).toEqual([
      'Tiltfile names services/gateway, which there is not',
      'Tiltfile has no service webhook',
    ])
  })

  it('find in a compose file what its schema rejects, and settings and stages that there are not', () => {
    const known = { settings: new Set(['SHEAF_DATA']), stages: new Set(['sheaf']) }
    const compose = (service: string) => `services:\n  sheaf: ${service}\n`
    const sound =
      '{ image: sheaf, build: { context: ., target: sheaf }, environment: { SHEAF_DATA: /x } }'
    expect(checkCompose(compose(sound), known)).toEqual([])
    expect(checkCompose(compose('{ image: sheaf, prots: [] }'), known)).toEqual([
      expect.stringContaining('additional properties'),
    ])
    const unknown = '{ build: { context: ., target: gone }, environment: { SHEAF_DTA: /x } }'
    expect(checkCompose(compose(unknown), known)).toEqual([
      'sheaf sets SHEAF_DTA, which nobody reads',
      'builds gone, of which the Dockerfile has no stage',
    ])
  })

  it('find a program and a setting of the unit that there are not', () => {
    const text =
      '[Service]\nUser=sheaf\nEnvironment=SHEAF_DTA=/x\nExecStart=/usr/bin/node packages/gone/dist/main.js\n\n[Install]\n'
    expect(checkUnit(text, { settings: new Set(['SHEAF_DATA']), isThere })).toEqual([
      'deploy/systemd/sheaf.service starts packages/gone/dist/main.js, of which there is no source',
      'deploy/systemd/sheaf.service sets SHEAF_DTA, which nobody reads',
    ])
  })
})
