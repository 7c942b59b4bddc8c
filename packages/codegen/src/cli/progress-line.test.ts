import { expect, it } from 'vitest'
import { openTerminal, progressLine } from './terminal.js'

/** Returns the visible content of the terminal after each step, and all written text. */
function run(options: { readonly isTTY: boolean; readonly milliseconds: number }) {
  let written = ''
  const write = (text: string) => {
    written += text
    return true
  }
  const stderr = { isTTY: options.isTTY, write }
  const terminal = openTerminal({ stdout: { write: () => true }, stderr }, { colour: false })
  const line = progressLine(terminal, () => options.milliseconds)
  const seen = () => {
    const cells: string[] = []
    for (const part of written.split('\r')) cells.splice(0, part.length, ...part)
    return cells.join('').trimEnd()
  }
  line.onStage('bind', 27)
  const first = seen()
  line.onStage('compare', 1)
  const second = seen()
  line.clear()
  return { first, second, last: seen(), written }
}

it('a long run on a terminal shows its stages on one line, which is gone in the end', () => {
  const { first, second, last, written } = run({ isTTY: true, milliseconds: 900 })
  expect([first, second, last]).toEqual(['reading the types behind 27 tools ...', 'comparing 1 file ...', ''])
  expect(written).not.toContain('\n')
  expect(written.endsWith('\r')).toBe(true)
})

it('a short run, and a run that nobody watches, write nothing', () => {
  expect(run({ isTTY: true, milliseconds: 100 }).written).toBe('')
  expect(run({ isTTY: false, milliseconds: 9_000 }).written).toBe('')
})
