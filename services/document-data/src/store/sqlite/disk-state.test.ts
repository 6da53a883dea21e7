import { DiskState } from './disk-state'

it('is full from a transaction that finds it so until one succeeds', () => {
  const disk = new DiskState()
  disk.failed(Object.assign(new Error('busy'), { name: 'SqliteError', code: 'SQLITE_BUSY' }))
  expect(disk.isFull).toBe(false)
  disk.failed(Object.assign(new Error('full'), { name: 'SqliteError', code: 'SQLITE_FULL' }))
  disk.failed(new Error('another one'))
  expect(disk.isFull).toBe(true)
  disk.accepted()
  expect(disk.isFull).toBe(false)
})
