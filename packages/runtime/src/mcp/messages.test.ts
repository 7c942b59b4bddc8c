import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoundedLines, ownName } from './messages.js'

/** The lines of a text that comes in pieces of such lengths; of a line that is too long the id. */
function linesOf(text: string, limit: number, lengths: readonly number[]): readonly (string | number | undefined)[] {
  const lines = new BoundedLines(limit)
  const found: (string | number | undefined)[] = []
  for (let at = 0, piece = 0; at < text.length; piece += 1) {
    const end = at + (lengths[piece % lengths.length] ?? 1)
    for (const line of lines.push(text.slice(at, end))) {
      found.push('text' in line ? line.text : line.answeredId)
    }
    at = end
  }
  return found
}

const result = { content: [{ type: 'text', text: 'x'.repeat(5_000) }] }

describe('lines within a bound', () => {
  it('are the lines of the text, however it is cut', () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), pieces, (texts, lengths) => {
        const lines = texts.map((text) => text.replaceAll('\n', ' '))
        expect(linesOf(lines.map((line) => `${line}\n`).join(''), 10_000, lengths)).toEqual(lines)
      }),
    )
  })

  it.each([
    ['last', JSON.stringify({ result, jsonrpc: '2.0', id: 7 })],
    ['last but for the version', JSON.stringify({ result, id: 7, jsonrpc: '2.0' })],
    ['among the first fields', JSON.stringify({ jsonrpc: '2.0', id: 7, result })],
    ['after spaces', JSON.stringify({ jsonrpc: '2.0', id: 7, result }, null, 1).replaceAll('\n', ' ')],
    ['in an event', `data: ${JSON.stringify({ jsonrpc: '2.0', id: 7, result })}`],
  ])('tell the id of one that is too long, which stands %s', (_, line) => {
    const [before, id, after] = linesOf(`a\n${line}\nb\n`, 2_000, [1, 700])
    expect([before, after]).toEqual(['a', 'b'])
    expect(id).toBe(7)
  })

  it('report a line without an end when its id is known, and once', () => {
    const lines = new BoundedLines(2_000)
    expect(lines.push(`{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(1_000)}`)).toEqual([])
    expect(lines.push('x'.repeat(2_000))).toEqual([{ answeredId: 7 }])
    expect(lines.push('x'.repeat(20_000))).toEqual([])
    expect(lines.push('"}\nb\nc')).toEqual([{ text: 'b' }])
    expect(lines.end()).toEqual([{ text: 'c' }])
  })

  it('give up a line without an end and without an id', () => {
    const lines = new BoundedLines(2_000)
    expect(lines.push('x'.repeat(8_000))).toEqual([])
    expect(lines.push('x')).toEqual([{ answeredId: undefined }])
    expect([...lines.push('x'.repeat(20_000)), ...lines.end()]).toEqual([])
  })

  it('take no id from within a result', () => {
    const line = JSON.stringify({ jsonrpc: '2.0', result: { ...result, last: { id: 7 } } })
    expect(linesOf(`${line}\n`, 2_000, [100])).toEqual([undefined])
  })
})

// After a release has raised the version: write it there too.
it('connections receive the version of the package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(ownName.version).toBe(manifest.version)
})
