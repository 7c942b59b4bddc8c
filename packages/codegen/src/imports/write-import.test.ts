import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../output/memory-disk.fixture.js'
import type { RunIdentity } from '../output/publish.js'
import { writtenModule } from './imported-files.js'
import { blockingFiles, writeImport } from './write-import.js'

const run: RunIdentity = { pid: 1, host: 'here', nonce: 'a', now: () => 0, isAlive: () => false, pause: async () => {} }
const target = { folder: '/p/design', shown: 'design' }
const written = (text: string) => `Written by \`toolgen import mcp files\`. ${text}`
const files = [
  { path: 'files.mcp.json', text: written('new snapshot') },
  { path: 'files.mcp.ts', text: writtenModule('mcp', 'files', 'new module\n') },
]
const notImported = (path: string) => ({
  code: 'TG0010',
  message: `\`design/${path}\` was not written by an import. Nothing was changed.`,
})
const before = {
  '/p/design/files.mcp.json': written('old snapshot'),
  '/p/design/files.mcp.ts': writtenModule('mcp', 'files', 'old module\n'),
  '/p/design/mine.ts': 'mine',
}

describe('the files of an import', () => {
  it('are written where they differ, and nothing is left beside them', async () => {
    const disk = memoryDisk({ ...before, '/p/design/files.mcp.ts': writtenModule('mcp', 'files', 'new module\n') })
    expect(await writeImport(target, files, { disk, run })).toEqual({
      written: ['files.mcp.json'],
      unchanged: ['files.mcp.ts'],
      diagnostics: [],
    })
    expect(disk.tree()).toEqual({
      '/p': '<folder>',
      '/p/design': '<folder>',
      '/p/design/files.mcp.json': written('new snapshot'),
      '/p/design/files.mcp.ts': writtenModule('mcp', 'files', 'new module\n'),
      '/p/design/mine.ts': 'mine',
    })
  })

  it('are both new or both old, whichever step the disk refuses', async () => {
    const count = memoryDisk(before)
    await writeImport(target, files, { disk: count, run })
    const done = count.tree()
    const untouched = memoryDisk(before).tree()
    for (let step = 1; step <= count.asked(); step += 1) {
      const disk = memoryDisk(before)
      disk.refuse((operation) => operation === step)
      const { diagnostics } = await writeImport(target, files, { disk, run })
      const failed = diagnostics.some(({ severity }) => severity === 'error')
      const left = Object.fromEntries(Object.entries(disk.tree()).filter(([path]) => !path.includes('/.toolgen')))
      expect([step, left]).toEqual([step, failed ? untouched : done])
    }
  })

  it('are half written only where the disk refuses the way back too, and that is said', async () => {
    const count = memoryDisk(before)
    await writeImport(target, files, { disk: count, run })
    const outcomes = new Set<string>()
    for (let step = 1; step <= count.asked(); step += 1) {
      const disk = memoryDisk(before)
      disk.refuse((operation) => operation >= step)
      const { diagnostics } = await writeImport(target, files, { disk, run })
      const module = disk.tree()['/p/design/files.mcp.ts']
      const snapshot = disk.tree()['/p/design/files.mcp.json']
      const isHalf = (module === before['/p/design/files.mcp.ts']) !== (snapshot === before['/p/design/files.mcp.json'])
      const [found] = diagnostics
      if (isHalf) expect(found?.message).toContain('could not be undone')
      outcomes.add(found?.code ?? '')
    }
    expect(outcomes).toContain('TG0011')
  })

  it('are not written while another import writes there', async () => {
    const disk = memoryDisk(before)
    disk.put('/p/design/.toolgen/claim.0.2.68657265.b', '')
    let time = 0
    const waiting: RunIdentity = { ...run, isAlive: () => true, now: () => (time += 1_000) }
    const { diagnostics } = await writeImport(target, files, { disk, run: waiting })
    expect(diagnostics).toMatchObject([{ code: 'TG5007' }])
    expect(disk.tree()['/p/design/files.mcp.ts']).toBe(writtenModule('mcp', 'files', 'old module\n'))
  })

  it('stand in nobody’s way but that of what an import has not written, or not so', () => {
    expect(blockingFiles(memoryDisk(before), target, files, false)).toEqual([])
    expect(blockingFiles(memoryDisk(), target, files, false)).toEqual([])
    const disk = memoryDisk({ ...before, '/p/design/files.mcp.ts': 'mine' })
    expect(blockingFiles(disk, target, files, true)).toMatchObject([notImported('files.mcp.ts')])
    const [, module = ''] = Object.values(before)
    const edited = memoryDisk({ ...before, '/p/design/files.mcp.ts': module.replace('old', 'my') })
    expect(blockingFiles(edited, target, files, false)).toMatchObject([
      { code: 'TG0010', message: '`design/files.mcp.ts` was changed after the import. Nothing was written.' },
    ])
    expect(blockingFiles(edited, target, files, true)).toEqual([])
    const checkedOut = memoryDisk({ ...before, '/p/design/files.mcp.ts': module.replaceAll('\n', '\r\n') })
    expect(blockingFiles(checkedOut, target, files, false)).toEqual([])
    const folder = memoryDisk()
    folder.put('/p/design/files.mcp.json', 'folder')
    expect(blockingFiles(folder, target, files, true)).toMatchObject([notImported('files.mcp.json')])
  })
})
