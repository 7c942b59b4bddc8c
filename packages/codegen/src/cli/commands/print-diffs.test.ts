import { expect, it } from 'vitest'
import type { Style } from '../terminal.js'
import { printDiffs, type ShownDrift } from './check.js'

const plain: Style = (_colour, text) => text
const bracketed: Style = (colour, text) => `<${colour}>${text}</>`

function printed(
  drift: readonly ShownDrift[],
  reporter: 'pretty' | 'github',
  { outIsTerminal }: { readonly outIsTerminal: boolean },
): { readonly out: string; readonly note: string } {
  let [out, note] = ['', '']
  const terminal = {
    out: (text: string) => {
      out += text
    },
    note: (text: string) => {
      note += text
    },
    outIsTerminal,
    noteIsTerminal: false,
    outStyle: outIsTerminal ? bracketed : plain,
    noteStyle: plain,
  }
  printDiffs(drift, reporter, terminal)
  return { out, note }
}

const changed = (diff: string, omitted = 0): ShownDrift => ({ kind: 'changed', path: 'gen/a.ts', diff, omitted })
const diff = '--- gen/a.ts\n+++ gen/a.ts\n@@ -1,1 +1,1 @@\n-a\u001b[2J\n+b\n'

it('goes byte for byte to a file, and in colours without control characters to a terminal', () => {
  expect(printed([changed(diff)], 'pretty', { outIsTerminal: false })).toEqual({ out: diff, note: '' })
  const { out } = printed([changed(diff)], 'pretty', { outIsTerminal: true })
  expect(out).toContain('<red>-a\\u001b[2J</>\n<green>+b</>\n')
  expect(out).toContain('<cyan>@@ -1,1 +1,1 @@</>')
})

it('counts what is left out', () => {
  const { note } = printed([changed('+a\n', 300), changed('+b\n', 1)], 'pretty', { outIsTerminal: false })
  expect(note).toContain('gen/a.ts: 300 more lines\n')
  expect(note).toContain('gen/a.ts: 1 more line\n')
  expect(note).toMatch(
    /^301 lines of the differences in 2 files are not shown \(toolgen check --verbose shows them\)$/m,
  )
})

it('is folded in the log of GitHub Actions, where none of its lines is taken for a command', () => {
  const hostile = '@@ -1,1 +1,1 @@\n ::error::mine\n'
  const { out } = printed([changed(hostile)], 'github', { outIsTerminal: false })
  const [, token] = /^::stop-commands::([0-9a-f]{64})$/m.exec(out) ?? []
  expect(out).toBe(`::group::gen/a.ts\n::stop-commands::${token}\n${hostile}::${token}::\n::endgroup::\n`)
})

it('says nothing of files that have no diff', () => {
  const named = { ...changed('-a\n'), path: 'gen/a\n::error::x.ts' }
  expect(printed([named], 'github', { outIsTerminal: false }).out).toMatch(
    /^::group::gen\/a\\u000a::error::x\.ts\n::stop/,
  )
  expect(printed([changed('')], 'github', { outIsTerminal: false })).toEqual({ out: '', note: '' })
})
