import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundAt } from './files.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolgen-found-'))
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('file', join(folder, 'link'))
  symlinkSync('loop', join(folder, 'loop'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('what is at a path', () => {
  it('is a file, a folder, what a link leads to, or the link', () => {
    expect(foundAt(join(folder, 'file'))?.isFile()).toBe(true)
    expect(foundAt(folder)?.isDirectory()).toBe(true)
    expect(foundAt(join(folder, 'link'))?.isFile()).toBe(true)
    expect(foundAt(join(folder, 'link'), { links: 'show' })?.isSymbolicLink()).toBe(true)
  })

  it.each(['none', 'file/below', 'x'.repeat(5000), 'loop'])(
    'is nothing where the path leads nowhere: %.20s',
    (path) => {
      expect(foundAt(join(folder, path))).toBeUndefined()
    },
  )
})
