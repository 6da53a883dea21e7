import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MAX_MESSAGE_BYTES } from '../processes/frames'
import { HostedProcess } from '../processes/hosted-process'
import { DENO_ENVIRONMENT, denoArguments, FILE_BYTES } from './evaluator-process'
import { isMade, MANIFEST, runtimeFolder, sha256, SNAPSHOT, type RuntimeParts } from './runtime-files'

/** Making a snapshot takes some seconds; a busy machine may take longer. */
const MAKE_MS = 120_000

/**
 * Makes the runtime of the evaluators in a cache, unless it is there, and returns its folder: Pyodide, the sources, and a
 * memory snapshot in which Python and the function library are loaded. Nothing is downloaded. Several processes may
 * do so at once.
 */
export async function makeRuntime(cache: string, parts: RuntimeParts): Promise<string> {
  const folder = runtimeFolder(cache, parts)
  if (isMade(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const draft = await mkdtemp(`${folder}-`)
  try {
    for (const [name, from] of parts.files) {
      await mkdir(dirname(join(draft, name)), { recursive: true })
      await copyFile(from, join(draft, name))
    }
    await writeFile(join(draft, SNAPSHOT), await makeSnapshot(parts.deno, draft))
    const names = [...parts.files.keys(), SNAPSHOT]
    const hashes = names.map((name) => [name, sha256(readFileSync(join(draft, name)))])
    await writeFile(join(draft, MANIFEST), JSON.stringify(Object.fromEntries(hashes)))
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    // Another process was faster.
    if (!isMade(folder)) throw error
  }
  return folder
}

function makeSnapshot(deno: string, folder: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let isWhole = false
  return new Promise((resolve, reject) => {
    new HostedProcess(
      {
        program: deno,
        args: [...denoArguments(folder), 'make'],
        env: DENO_ENVIRONMENT,
        limits: { wallMs: MAKE_MS, fileBytes: FILE_BYTES },
        maxFrameBytes: MAX_MESSAGE_BYTES,
      },
      {
        onFrame: (frame) => {
          // An empty frame follows the last part.
          if (frame.length === 0) isWhole = true
          else chunks.push(frame)
        },
        onExit: ({ cause, code, stderr }) => {
          if (isWhole) resolve(Buffer.concat(chunks))
          else reject(new Error(`no snapshot of Python was made: ${cause} ${code} ${stderr}`))
        },
      },
    )
  })
}
