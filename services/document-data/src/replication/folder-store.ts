import { randomUUID } from 'node:crypto'
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises'
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

  async get(name: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.folder, name))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async has(name: string): Promise<boolean> {
    try {
      await access(join(this.folder, name))
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  async removeFolder(folder: string): Promise<void> {
    await rm(join(this.folder, folder), { recursive: true, force: true })
  }
}

const isMissing = (error: unknown) => (error as { readonly code?: unknown }).code === 'ENOENT'
