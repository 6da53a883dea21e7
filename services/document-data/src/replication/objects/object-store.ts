/** Small objects by name, durable, shared by all instances. Names are paths of UUIDs, numbers and hashes. */
export interface ObjectStore {
  /** Stores an object, durably; replaces one with this name. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** The bytes of an object; undefined when there is none. */
  get(name: string): Promise<Buffer | undefined>
  /** True when there is an object with this name. */
  has(name: string): Promise<boolean>
  /** Makes an object as young as a new one, unless it is less than an hour old; false when there is none with this name. */
  touch(name: string): Promise<boolean>
  /** The objects in a folder, with the times when they were stored, in epoch milliseconds. */
  list(folder: string): Promise<{ readonly name: string; readonly storedAt: number }[]>
  /** Removes an object if it was stored before this time. */
  removeOld(name: string, before: number): Promise<void>
  /** Removes all objects whose names begin with this folder. */
  removeFolder(folder: string): Promise<void>
}
