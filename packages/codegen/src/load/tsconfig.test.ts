import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ts } from 'ts-morph'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { evaluateModules } from './evaluate.js'
import { readTsconfig, TsconfigError, tsconfigDiagnostic } from './tsconfig.js'

let root = ''
const file = (name: string): string => join(root, name)

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-tsconfig-')))
  mkdirSync(file('folder.json'))
  writeFileSync(file('module.ts'), 'export const one = 1\n')
  writeFileSync(file('back.json'), '{ "extends": "./tsconfig.json" }')
  writeFileSync(file('open.json'), '{ "compilerOptions": {')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** What is wrong with a tsconfig of this text, where it stands. */
function errorOf(text: string): string | undefined {
  writeFileSync(file('tsconfig.json'), text)
  const config = readTsconfig(ts, file('tsconfig.json'))
  return config instanceof TsconfigError ? shown(tsconfigDiagnostic(config, root)) : undefined
}

function shown({ location, message }: Diagnostic): string {
  return `${location?.file}:${location?.line}:${location?.column} ${message.replace(/^.*? configuration: /, '')}`
}

const broken: readonly (readonly [string, string])[] = [
  ['{\n  "extends": "./gone.json"\n}', "tsconfig.json:2:3 Cannot read file 'gone.json'."],
  ['{ "extends": "./folder.json" }', "tsconfig.json:1:3 Cannot read file 'folder.json'."],
  ['{ "extends": "@nobody/base" }', "tsconfig.json:1:14 File '@nobody/base' not found."],
  ['{ "extends": "./back.json" }', 'tsconfig.json:1:3 Circularity detected'],
  ['{ "extends": "./open.json" }', "open.json:1:23 '}' expected."],
  ['{ "extends": 5 }', "tsconfig.json:1:14 Compiler option 'extends' requires a value of type string or Array."],
  ['{ "compilerOptions": { "lib": "ES2022" } }', "tsconfig.json:1:31 Compiler option 'lib' requires"],
  ['{ "compilerOptions": 5 }', "tsconfig.json:1:22 Compiler option 'compilerOptions' requires a value of type object."],
  ['{ "compilerOptions": {,} }', 'tsconfig.json:1:23 Property assignment expected.'],
  ['[]', "tsconfig.json:1:1 The root value of a 'tsconfig.json' file must be an object."],
  ['\u0001', 'tsconfig.json:1:1 Invalid character.'],
]

describe('a tsconfig that cannot be read', () => {
  it.each(broken)('%j', (text, expected) => {
    expect(errorOf(text)).toContain(expected)
  })

  it('ends an evaluation that follows its paths, as a failure with its place', async () => {
    writeFileSync(file('tsconfig.json'), broken[0]?.[0] ?? '')
    const { failures, closure } = await evaluateModules([file('module.ts')], { root, tsconfig: file('tsconfig.json') })
    const error = failures[0]?.error
    if (!(error instanceof TsconfigError)) throw new Error('The evaluation did not fail so.')
    expect(shown(tsconfigDiagnostic(error, root))).toBe(broken[0]?.[1])
    expect(closure).toEqual([file('gone.json'), file('module.ts'), file('tsconfig.json')])
  })
})

it('the error for an unreadable tsconfig contains the message of the operating system', async () => {
  const { failures } = await evaluateModules([file('module.ts')], { root, tsconfig: file('folder.json') })
  expect(failures.map(({ error }) => String(error))).toEqual(['TsconfigError: a folder has this path'])
})

it.each([
  '',
  '{ /* a comment */ "compilerOptions": { "strict": true, }, }',
  '{ "compilerOptions": { "optionOfALaterCompiler": true, "lib": ["ES2099"] } }',
  '{ "files": [] }',
])('a tsconfig that is %j can be read', (text) => {
  expect(errorOf(text)).toBeUndefined()
})
