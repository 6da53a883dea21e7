import { randomUUID } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeDurably } from '../../store/sqlite/document-files'
import { FolderSync } from '../../store/sqlite/durable-files'
import type { ObjectStore } from './object-store'

/** Objects as files of a folder, which instances on several machines must share. */
export class FolderStore implements ObjectStore {
  private readonly folders = new FolderSync()
  private created: Promise<unknown> | undefined

  /** @param folder created at the first use when it is missing */
  constructor(private readonly folder: string) {}

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, name)
    const unfinished = `${path}.${randomUUID()}.tmp`
    await this.requireFolder()
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
    return readFile(join(this.folder, name)).catch(this.ifMissing(undefined))
  }

  has(name: string): Promise<boolean> {
    return this.exists(() => access(join(this.folder, name)))
  }

  touch(name: string): Promise<boolean> {
    const now = new Date()
    return this.exists(() => utimes(join(this.folder, name), now, now))
  }

  async list(folder: string): Promise<{ name: string; storedAt: number }[]> {
    const path = join(this.folder, folder)
    const objects: { name: string; storedAt: number }[] = []
    for (const file of await readdir(path).catch(this.ifMissing([]))) {
      const state = await stat(join(path, file)).catch(this.ifMissing(undefined))
      if (state) objects.push({ name: `${folder}/${file}`, storedAt: state.mtimeMs })
    }
    return objects
  }

  async removeOld(name: string, before: number): Promise<void> {
    const path = join(this.folder, name)
    const state = await stat(path).catch(this.ifMissing(undefined))
    if (state && state.mtimeMs < before) await rm(path, { force: true })
  }

  async removeFolder(folder: string): Promise<void> {
    await rm(join(this.folder, folder), { recursive: true, force: true })
  }

  /** Throws when the folder has gone since its first use: a share that is not mounted is no store without objects. */
  private async requireFolder(): Promise<void> {
    this.created ??= mkdir(this.folder, { recursive: true, mode: 0o700 })
    try {
      await this.created
    } catch (error) {
      this.created = undefined
      throw error
    }
    await access(this.folder)
  }

  /** A handler of errors that returns a value for a file that does not exist. */
  private ifMissing<T>(value: T): (error: unknown) => Promise<T> {
    return async (error) => {
      if ((error as { readonly code?: unknown }).code !== 'ENOENT') throw error
      await this.requireFolder()
      return value
    }
  }

  /** False when `use` finds no file. */
  private exists(use: () => Promise<void>): Promise<boolean> {
    return use().then(() => true, this.ifMissing(false))
  }
}
