import { expect, it } from 'vitest'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { printable } from '../text.js'
import { exitCodeOf } from './format.js'
import { codeFrame, githubAnnotation, prettyDiagnostic, report } from './report.js'
import { allowsColour, openTerminal, type Style } from './terminal.js'

const plain: Style = (_colour, text) => text

function diagnostic(code: string, changes: Partial<Diagnostic> = {}): Diagnostic {
  return { code, severity: 'error', message: 'It is wrong.', next: 'Correct it.', ...changes }
}

it.each([
  [[], 0],
  [['TG2001'], 3],
  [['TG3003', 'TG5001'], 3],
  [['TG5001'], 4],
  [['TG5020', 'TG5021', 'TG5022'], 4],
  [['TG5004', 'TG5001'], 2],
  [['TG1001'], 2],
  [['TG0001'], 2],
  [['TG0004'], 3],
  [['TG4001'], 3],
  [['TG9001', 'TG1001', 'TG2001'], 1],
])('errors %j exit with %j', (codes, exit) => {
  expect(exitCodeOf(codes.map((code) => diagnostic(code)))).toBe(exit)
})

it('warnings and notes do not fail', () => {
  expect(exitCodeOf([diagnostic('TG2001', { severity: 'warning' }), diagnostic('TG4101', { severity: 'note' })])).toBe(
    0,
  )
})

it('a code frame marks the place, also behind tabs and control characters', () => {
  const text = 'one\n\tconst a\u0007 = wrong\nthree'
  expect(codeFrame(text, { file: 'x', line: 2, column: 13, length: 5 }, plain)).toEqual([
    '  1 | one',
    '  2 |   const a\\u0007 = wrong',
    '    |                   ^^^^^',
  ])
  expect(codeFrame(text, { file: 'x', line: 9, column: 1 }, plain)).toEqual([])
})

it('a very long line is cut, and its mark left out where it would lie beyond', () => {
  const text = 'x'.repeat(5000)
  const frame = codeFrame(text, { file: 'x', line: 1, column: 4000 }, plain)
  expect(frame).toHaveLength(1)
  expect(frame[0]?.length).toBeLessThan(180)
})

it('a diagnostic says where, what, what else and what to do', () => {
  const shown = prettyDiagnostic(
    diagnostic('TG2021', {
      location: { file: 'nowhere.ts', line: 3, column: 4 },
      near: ['a', 'b'],
      related: [{ message: 'The first.', location: { file: 'x.ts', line: 1, column: 2 } }],
    }),
    { root: '/', pathOf: (file) => `../${file}`, style: plain },
  )
  expect(shown).toBe(
    '../nowhere.ts:3:4 - error TG2021: It is wrong.\n  - ../x.ts:1:2 - The first.\n  do: Correct it.\n  similar: a, b\n\n',
  )
})

it('an annotation cannot be broken out of', () => {
  const hostile = diagnostic('TG2001', {
    message: 'a\n::error::b%',
    location: { file: 'a,b:c.ts', line: 1, column: 2 },
  })
  expect(githubAnnotation(hostile, { pathOf: (file) => file })).toBe(
    '::error file=a%2Cb%3Ac.ts,line=1,col=2,title=TG2001::a%0A::error::b%25%0ACorrect it.\n',
  )
})

it('an annotation holds no control characters', () => {
  const hostile = diagnostic('TG2001', {
    message: '\u001b[31m\u200f',
    location: { file: '\u202e.ts', line: 1, column: 2 },
  })
  expect(githubAnnotation(hostile, { pathOf: (file) => file })).toBe(
    '::error file=\\u202e.ts,line=1,col=2,title=TG2001::\\u001b[31m\\u200f%0ACorrect it.\n',
  )
})

it('text for a terminal holds no control characters but tabs and line ends', () => {
  expect(printable('a\u001b[31mb\u202ec\u2028\td\r\n')).toBe('a\\u001b[31mb\\u202ec\\u2028\td\\u000d\n')
})

it('colours are for terminals alone', () => {
  const stream = (isTTY: boolean): { isTTY: boolean; write: () => boolean } => ({ isTTY, write: () => true })
  const { outStyle, noteStyle } = openTerminal({ stdout: stream(false), stderr: stream(true) }, { colour: true })
  expect(outStyle('red', 'x')).toBe('x')
  expect(noteStyle('red', 'x')).toBe('\u001b[31mx\u001b[39m')
})

it.each([
  [{}, true],
  [{ NO_COLOR: '' }, true],
  [{ NO_COLOR: '0' }, false],
  [{ TERM: 'dumb' }, false],
])('the environment %j allows colours: %j', (env, allowed) => {
  expect(allowsColour(env)).toBe(allowed)
})

it('the lines of a text do not look like findings of their own', () => {
  const hostile = diagnostic('TG6001', { message: 'the tool `a\nerror TG9999: all is lost` is too long' })
  const look = { root: '/', pathOf: (file: string) => file, style: plain }
  expect(prettyDiagnostic(hostile, look).split('\n')).toEqual([
    'error TG6001: the tool `a',
    '      error TG9999: all is lost` is too long',
    '  do: Correct it.',
    '',
    '',
  ])
})

it('the location in a document from the network is its URL', () => {
  const written: string[] = []
  const stderr = { write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WritableStream
  const terminal = openTerminal({ stdout: stderr, stderr }, { colour: false })
  const location = { file: 'http://127.0.0.1:3000/api.json', line: 1, column: 2 }
  report('pretty', terminal, {
    command: 'import openapi',
    root: '/',
    diagnostics: [diagnostic('TG6001', { location })],
  })
  expect(written.join('')).toContain('http://127.0.0.1:3000/api.json:1:2')
})
