import { randomUUID } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeDurably } from '../store/sqlite/document-files'
import { FolderSync } from '../store/sqlite/durable-files'
import type { ObjectStore } from './object-store'

/** Objects as files of a folder, which instances on several machines must share. */
export class FolderStore implements ObjectStore {
  private readonly folders = new FolderSync()

  /** @param folder created when it is missing */
  constructor(private readonly folder: string) {}

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, name)
    const unfinished = `${path}.${randomUUID()}.tmp`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      await writeDurably(unfinished, bytes)
      await rename(unfinished, path)
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
    await this.folders.sync(dirname(path))
  }

  get(name: string): Promise<Buffer | undefined> {
    return readFile(join(this.folder, name)).catch(ifMissing(undefined))
  }

  has(name: string): Promise<boolean> {
    return exists(() => access(join(this.folder, name)))
  }

  touch(name: string): Promise<boolean> {
    const now = new Date()
    return exists(() => utimes(join(this.folder, name), now, now))
  }

  async list(folder: string): Promise<{ name: string; storedAt: number }[]> {
    const path = join(this.folder, folder)
    const objects: { name: string; storedAt: number }[] = []
    for (const file of await readdir(path).catch(ifMissing([]))) {
      const state = await stat(join(path, file)).catch(ifMissing(undefined))
      if (state) objects.push({ name: `${folder}/${file}`, storedAt: state.mtimeMs })
    }
    return objects
  }

  async removeOld(name: string, before: number): Promise<void> {
    const path = join(this.folder, name)
    const state = await stat(path).catch(ifMissing(undefined))
    if (state && state.mtimeMs < before) await rm(path, { force: true })
  }

  async removeFolder(folder: string): Promise<void> {
    await rm(join(this.folder, folder), { recursive: true, force: true })
  }
}

/** A handler of errors that returns a value for a file that does not exist. */
function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return value
    throw error
  }
}

/** False when `use` finds no file. */
function exists(use: () => Promise<void>): Promise<boolean> {
  return use().then(() => true, ifMissing(false))
}
