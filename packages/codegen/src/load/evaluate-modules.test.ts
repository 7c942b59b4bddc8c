import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { relativePath } from '../files.js'
import { type DesignProject, designProject } from './design-project.fixture.js'
import { type Evaluation, evaluateModules } from './evaluate.js'

let project: DesignProject
afterEach(() => project.remove())

const evaluate = (...files: readonly string[]): Promise<Evaluation> =>
  evaluateModules(
    files.map((file) => join(project.root, file)),
    { root: project.root },
  )

const closureOf = ({ closure }: Evaluation): readonly string[] =>
  closure.map((file) => relativePath(project.root, file))

/** What the entry exports as `answer`. */
const answerOf = ({ modules, failures }: Evaluation): unknown => {
  expect(failures).toEqual([])
  return Object.entries(modules[0]?.exports ?? {}).find(([name]) => name === 'answer')?.[1]
}

const scripts: readonly (readonly [path: string, text: (word: string) => string])[] = [
  ['lib/hint.js', (word) => `export const hint = '${word}'`],
  ['lib/hint.mjs', (word) => `export const hint = '${word}'`],
  ['lib/hint.mjs', (word) => `export const hint = await Promise.resolve('${word}')`],
  ['lib/hint.cjs', (word) => `module.exports = { hint: '${word}' }`],
  ['lib/hint.cjs', (word) => `exports.hint = '${word}'`],
]

describe('a JavaScript module', () => {
  it.each(scripts)('%s takes part, and its edits are seen within one process', async (path, text) => {
    project = designProject({
      'a.ts': `import { hint } from './${path}'\nexport const answer = hint`,
      [path]: text('one'),
    })
    const first = await evaluate('a.ts')
    expect(answerOf(first)).toBe('one')
    expect(closureOf(first)).toEqual(['a.ts', path])
    expect(first.evaluated.map(({ file }) => relativePath(project.root, file))).toEqual(['a.ts', path])
    project.write({ [path]: text('two') })
    expect(answerOf(await evaluate('a.ts'))).toBe('two')
  })

  it('gives way to a TypeScript module of its name', async () => {
    project = designProject({
      'a.ts': `import { hint } from './hint.js'\nexport const answer = hint`,
      'hint.js': `export const hint = 'one'`,
    })
    expect(answerOf(await evaluate('a.ts'))).toBe('one')
    rmSync(join(project.root, 'hint.js'))
    project.write({ 'hint.ts': `export const hint: string = 'two'` })
    const second = await evaluate('a.ts')
    expect(answerOf(second)).toBe('two')
    expect(closureOf(second)).toEqual(['a.ts', 'hint.ts'])
  })

  it('is evaluated once, and so is what it imports in turn', async () => {
    project = designProject({
      'a.ts': `import { one } from './one.js'\nimport { made } from './two.js'\nexport const answer = one === made`,
      'one.js': `import { made } from './two.js'\nexport const one = made`,
      'two.js': `import { three } from './three.cjs'\nexport const made = { three }`,
      'three.cjs': `const four = require('./four.cjs')\nexports.three = four`,
      'four.cjs': `module.exports = 4`,
    })
    const evaluation = await evaluate('a.ts')
    expect(answerOf(evaluation)).toBe(true)
    expect(closureOf(evaluation)).toEqual(['a.ts', 'four.cjs', 'one.js', 'three.cjs', 'two.js'])
  })

  it('may be part of a circle', async () => {
    project = designProject({
      'a.ts': `import { b } from './b.js'\nexport const answer = b()`,
      'b.js': `import { c } from './c.js'\nexport const b = () => c()\nexport const last = 'last'`,
      'c.js': `import { last } from './b.js'\nexport const c = () => last`,
    })
    expect(answerOf(await evaluate('a.ts'))).toBe('last')
  })

  it.each([
    ['a.mjs', `export const answer = 1`],
    ['a.cjs', `module.exports = { answer: 1 }`],
    ['a.cjs', `exports.answer = 1`],
  ])('%s may be what is asked for', async (path, text) => {
    project = designProject({ [path]: text })
    expect(answerOf(await evaluate(path))).toBe(1)
    project.write({ [path]: text.replace('1', '2') })
    expect(answerOf(await evaluate(path))).toBe(2)
  })

  it('that throws fails whoever imports it, each time', async () => {
    project = designProject({
      'a.ts': `import './bad.js'`,
      'b.ts': `import './bad.js'`,
      'bad.js': `throw new Error('bad')`,
    })
    const { failures, closure } = await evaluate('a.ts', 'b.ts')
    expect(failures.map(({ error }) => String(error))).toEqual(['Error: bad', 'Error: bad'])
    expect(closure).toContain(join(project.root, 'bad.js'))
  })
})

describe('a package', () => {
  it('that is linked from a workspace stays with the process', async () => {
    project = designProject({
      'package.json': '{ "name": "app", "type": "module" }',
      'a.ts': `import { once } from 'linked'\nexport const answer = once`,
      'packages/linked/package.json': '{ "name": "linked", "type": "module", "exports": "./index.js" }',
      'packages/linked/index.js': 'export const once = {}',
    })
    symlinkSync('../packages/linked', join(project.root, 'node_modules/linked'))
    const first = await evaluate('a.ts')
    expect(closureOf(first)).toEqual(['a.ts'])
    expect(answerOf(first)).toBe(answerOf(await evaluate('a.ts')))
  })
})
