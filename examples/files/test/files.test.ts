import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { demo } from '../src/demo.js'

const example = join(import.meta.dirname, '..')
const transcript = readFileSync(join(import.meta.dirname, 'transcript.txt'), 'utf8')

/** Returns the number of running servers that this process has started. */
function running(): number {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes('modelcontextprotocol/server-')).length
}

// A separate folder, because other tests run the example at the same time.
const temporary = mkdtempSync(join(tmpdir(), 'toolgen-files-test-'))
vi.stubEnv('TMPDIR', temporary)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true })
})

const folders = (): readonly string[] => readdirSync(temporary)

describe('the files example', () => {
  it('calls a file server by its client alone, by an agent and served again, and leaves nothing behind', async () => {
    const lines: string[] = []
    let most = 0
    await demo((line) => {
      lines.push(line)
      most = Math.max(most, running())
    })
    // The name of the folder differs in each run.
    expect(`${lines.join('\n').replaceAll(/\/\S*toolgen-files-\w+/g, '/folder')}\n`).toBe(transcript)
    expect([most, running(), folders()]).toEqual([2, 0, []])
  })

  it('leaves nothing behind where it goes wrong', async () => {
    let started = 0
    const broken = demo((line) => {
      if (!line.startsWith('add')) return
      started = running()
      throw new Error('no paper')
    })
    await expect(broken).rejects.toThrow('no paper')
    expect([started, running(), folders()]).toEqual([1, 0, []])
  })

  it('has the tools that its servers list, and the code that its design gives', () => {
    const toolgen = join(example, 'node_modules/@toolgen/codegen/bin/toolgen.js')
    const checked = spawnSync(process.execPath, [toolgen, 'check', '--live'], { cwd: example, encoding: 'utf8' })
    expect(checked.stderr).toContain('live: everything, files as imported')
    expect([checked.status, checked.stdout]).toEqual([0, ''])
  })
})
