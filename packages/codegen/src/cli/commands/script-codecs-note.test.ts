import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scriptCodecsNote } from './generate.js'

const codecs = ['toolsets/a/codecs.js', 'toolsets/a/codecs.d.ts']

it('says once how codecs in JavaScript get to where `tsc` writes, by a command that does it', () => {
  expect(scriptCodecsNote({ output: 'gen', written: ['toolsets/a/codecs.ts'], unchanged: [] })).toBeUndefined()
  expect(scriptCodecsNote({ output: 'gen', written: codecs, unchanged: ['toolsets/b/codecs.js'] })).toBeUndefined()
  const note = scriptCodecsNote({ output: 'src/gen', written: codecs, unchanged: [] })
  expect(note).toMatchObject({ code: 'TG5013', severity: 'note' })
  const [, script = ''] = /node -e "(.*)"$/.exec(note?.next ?? '') ?? []
  const folder = mkdtempSync(join(tmpdir(), 'codecs-'))
  try {
    mkdirSync(join(folder, 'src/gen/toolsets/a'), { recursive: true })
    for (const file of [...codecs, 'toolsets/a/index.ts']) writeFileSync(join(folder, 'src/gen', file), '')
    expect(spawnSync(process.execPath, ['-e', script], { cwd: folder }).status).toBe(0)
    expect(readdirSync(join(folder, 'dist/gen/toolsets/a')).sort()).toEqual(['codecs.d.ts', 'codecs.js'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
