import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type DemoSetting, demo, type Runs, record } from '../src/demo.js'

const example = join(import.meta.dirname, '..')
const file = join(example, 'cassettes/invoices.jsonl')
const readme = join(example, 'README.md')
const transcriptFile = join(import.meta.dirname, 'transcript.txt')

/** Returns the runs and the printed text after the first line, which names the source of the responses. */
async function printed(
  program: (setting: DemoSetting) => Promise<Runs>,
  file: string,
): Promise<{ readonly runs: Runs; readonly text: string }> {
  const lines: string[] = []
  const runs = await program({ env: {}, file, print: (line) => lines.push(line) })
  return { runs, text: `${lines.slice(1).join('\n')}\n` }
}

/** Returns the last lines of a transcript: the table with the tokens. */
const tableOf = (transcript: string): string => transcript.slice(transcript.indexOf('             turns'))

// The cassette and the token counts depend on the declarations: `UPDATE_GOLDENS=1` writes them again.
beforeAll(async () => {
  if (process.env['UPDATE_GOLDENS'] !== '1') return
  const before = readFileSync(transcriptFile, 'utf8')
  const { text } = await printed(record, file)
  writeFileSync(transcriptFile, text)
  writeFileSync(readme, readFileSync(readme, 'utf8').replace(tableOf(before), tableOf(text)))
})

describe('the example code-mode', () => {
  it('answers with a program in two turns and with less than a quarter of the input tokens', async () => {
    const { runs, text } = await printed(demo, file)
    expect(text).toBe(readFileSync(transcriptFile, 'utf8'))
    const { calls, code } = runs
    expect([calls, code]).toMatchObject([
      { status: 'completed', usage: { turns: 5, toolCalls: 18 } },
      { status: 'completed', usage: { turns: 2, toolCalls: 19 } },
    ])
    expect(code.result?.text).toBe(calls.result?.text)
    expect(code.usage.promptTokens).toBeLessThan(0.25 * calls.usage.promptTokens)
  })

  it('prints what its README shows', () => {
    expect(readFileSync(readme, 'utf8')).toContain(tableOf(readFileSync(transcriptFile, 'utf8')))
  })

  it('can be recorded again from its script', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgen-code-mode-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const other = join(folder, 'new.jsonl')
    const { text } = await printed(record, other)
    expect((await printed(demo, other)).text).toBe(text)
    const withoutTime = (path: string): string => readFileSync(path, 'utf8').replace(/"recordedAt":"[^"]*"/, '')
    expect(withoutTime(other)).toBe(withoutTime(file))
  })

  it('has the tools that its servers list, and the code that its design gives', () => {
    const toolgen = join(example, 'node_modules/@toolgen/codegen/bin/toolgen.js')
    const checked = spawnSync(process.execPath, [toolgen, 'check', '--live'], { cwd: example, encoding: 'utf8' })
    expect(checked.stderr).toContain('live: files, memory as imported')
    expect([checked.status, checked.stdout]).toEqual([0, ''])
  })
})
