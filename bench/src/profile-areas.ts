/** A CPU profile as the inspector of Node.js writes it, as far as it is read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }[]
  /** The node that ran, for each sample. */
  readonly samples: readonly number[]
  /** Microseconds since the sample before, for each sample. */
  readonly timeDeltas: readonly number[]
}

type Frame = CpuProfile['nodes'][number]['callFrame']

/** Functions of better-sqlite3, which have no file. */
const SQLITE = new Set(['run', 'get', 'all', 'exec', 'iterate', 'pragma'])
/** Modules of Node.js that are an area of their own; all others count for what calls them. */
const NODE_AREAS: readonly (readonly [RegExp, string])[] = [
  [/^node:(_http|internal\/http\b|http$)/, 'HTTP/1.1'],
  [/^node:internal\/http2/, 'HTTP/2'],
]
const META: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'system calls and native code of Node.js',
}

/**
 * Returns the milliseconds of a profile by area: a folder of the project, a package, a part of Node.js, or SQLite for one
 * of those. Functions without an area of their own count for their callers. Time without work is left out.
 */
export function areasOf(profile: CpuProfile): Map<string, number> {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const callers = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  )
  const known = new Map<number, string | undefined>()
  const areas = new Map<string, number>()
  profile.samples.forEach((id, i) => {
    if (!known.has(id)) known.set(id, findArea(stackOf(id, frames, callers)))
    const area = known.get(id)
    if (area !== undefined)
      areas.set(area, (areas.get(area) ?? 0) + (profile.timeDeltas[i] ?? 0) / 1000)
  })
  return areas
}

/** The frames from the running function to the first caller. */
function stackOf(
  id: number,
  frames: ReadonlyMap<number, Frame>,
  callers: ReadonlyMap<number, number>,
): Frame[] {
  const stack: Frame[] = []
  for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
    const frame = frames.get(at)
    if (frame) stack.push(frame)
  }
  return stack
}

function findArea(stack: readonly Frame[]): string | undefined {
  const [leaf] = stack
  if (!leaf || leaf.functionName === '(idle)') return undefined
  const meta = META[leaf.functionName]
  if (meta !== undefined) return meta
  const isSqlite = leaf.url === '' && SQLITE.has(leaf.functionName)
  for (const { url } of stack) {
    // Of the connections to SQLite, what matters is who uses them.
    if (isSqlite && url.endsWith('/store/sqlite/connections.js')) continue
    const area = areaOf(url)
    if (area === undefined) continue
    return isSqlite ? `SQLite, for ${area}` : area
  }
  return 'Node.js'
}

/** The area of a file; undefined when it counts for its callers. */
function areaOf(url: string): string | undefined {
  if (url.startsWith('node:')) return NODE_AREAS.find(([of]) => of.test(url))?.[1]
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (library !== undefined) return library
  const file = /\/(packages\/kit|protos|gateway|services\/[^/]+)\/(?:dist|gen)\/(.*)\.js$/.exec(url)
  if (!file) return undefined
  const [, home = '', path = ''] = file
  const folder = path.split('/').slice(0, -1).join('/')
  if (home === 'protos') return 'generated messages'
  if (home === 'packages/kit') return folder === '' ? 'kit' : `kit/${folder}`
  return folder === '' ? path : folder
}
