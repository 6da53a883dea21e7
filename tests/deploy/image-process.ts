import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'

const START_LIMIT_MS = 120_000
/** Time that it has to stop. */
const STOP_LIMIT_MS = 30_000
const layOut = join(__dirname, '../../scripts/image-folder.js')
const image = readImage(readFileSync(join(__dirname, '../../deploy/Dockerfile'), 'utf8'))

/** The user of the images. Only root may start processes of others; everybody else is not root anyhow. */
export const imageUser = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : undefined

/** What the last stage of the Dockerfile starts, and with which environment. */
function readImage(dockerfile: string): { args: string[]; env: Record<string, string> } {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  const env = [...stage.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value])
  const [, command = '[]'] = /^ENTRYPOINT (.+)$/m.exec(stage) ?? []
  const [node, ...args] = JSON.parse(command) as string[]
  if (node !== 'node') throw new Error('the image does not start Node')
  return { args, env: Object.fromEntries(env) as Record<string, string> }
}

/** Lays out what the image of a service holds, by links to what was built here. */
export function layOutImage(service: string, folder: string): void {
  execFileSync(process.execPath, [layOut, service, folder, '--link'])
}

/** A process of an image, and what it has printed. */
interface StartedProcess extends AsyncDisposable {
  printed(): string
  /** Asks it to stop, as a container engine does; resolves to its exit code. */
  stop(): Promise<number | null>
  /** Resolves to what `find` finds in what it has printed. Ends it, and throws, when it ends or takes too long. */
  whenPrinted(find: (printed: string) => string | false): Promise<string>
}

/** Starts a process as the user of an image, with nothing but these settings. */
export function spawnImage(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): StartedProcess {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...imageUser,
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const end = async () => {
    if (!isOver()) child.kill('SIGTERM')
    // Killed at once, it would leave the engines that it has started.
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
    await closed
    clearTimeout(timer)
  }
  return {
    printed: () => printed,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await closed
      return code
    },
    async whenPrinted(find) {
      try {
        await eventually(() => isOver() || find(printed), { timeoutMs: START_LIMIT_MS })
        const found = find(printed)
        if (found !== false && !isOver()) return found
        throw new Error('it ended')
      } catch (cause) {
        await end()
        throw new Error(`it did not start:\n${printed}`, { cause })
      }
    },
    [Symbol.asyncDispose]: end,
  }
}

/** A process that was started as the image starts it. */
export interface ImageProcess extends AsyncDisposable {
  /** `host:port` that it listens on. */
  readonly address: string
  /** Asks it to stop, as Kubernetes does; resolves to its exit code and the last thing it said. */
  stop(): Promise<{ code: number | null; last: unknown }>
}

/** Starts `main.js` of an image's folder, as the user of the image, with nothing but these settings. */
export async function startImage(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ImageProcess> {
  const started = spawnImage(folder, image.args, { ...env, ...image.env })
  const address = await started.whenPrinted(readAddress)
  const stop = async () => {
    const code = await started.stop()
    const last: unknown = JSON.parse(started.printed().trim().split('\n').at(-1) ?? 'null')
    return { code, last }
  }
  return { address, stop, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() }
}

/** What the line of the log says that tells where it listens. */
function readAddress(printed: string): string | false {
  return /"(?:address|url)":"(?:http:\/\/)?([\d.]+:\d+)".*"listening"/.exec(printed)?.[1] ?? false
}

/** Runs the operator's command of an image's folder; resolves to what it printed. */
export function operate(
  folder: string,
  env: Readonly<Record<string, string>>,
  ...args: string[]
): string {
  return execFileSync(process.execPath, ['sheaf.js', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    ...imageUser,
  })
}
