import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Disk, nodeDisk } from '../../files.js'
import { writeNewFiles } from './init.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolgen-init-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const files = [
  { path: 'design/orders.ts', text: 'orders' },
  { path: 'src/main.ts', text: 'main' },
]

it('writes files into folders that it makes', () => {
  writeNewFiles(nodeDisk, root, files)
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(['design', 'design/orders.ts', 'src', 'src/main.ts'])
})

it('leaves nothing behind on a disk that is full, not even the file that it could not fill', () => {
  const full: Disk = {
    ...nodeDisk,
    write(path, content) {
      nodeDisk.write(path, content === 'main' ? '' : content)
      if (content === 'main') throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
    },
  }
  expect(() => writeNewFiles(full, root, files)).toThrow('ENOSPC')
  expect(existsSync(root) && readdirSync(root)).toEqual([])
})
