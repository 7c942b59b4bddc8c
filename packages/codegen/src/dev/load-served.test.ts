import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Checked } from '../diagnostics/diagnostic.js'
import { type DesignProject, designProject } from '../load/design-project.fixture.js'
import { findModule, type LoadedModule, loadServed } from './served-module.js'

const projects: DesignProject[] = []
afterEach(() => {
  for (const project of projects.splice(0)) project.remove()
})

function rootWith(files: Readonly<Record<string, string>>): string {
  const project = designProject(files)
  projects.push(project)
  return project.root
}

/** Loads `serve.ts` with this text. */
async function load(text: string, more: Readonly<Record<string, string>> = {}): Promise<Checked<LoadedModule>> {
  const root = rootWith({ 'serve.ts': text, ...more })
  return loadServed(join(root, 'serve.ts'), root)
}

describe('what is taken of a module', () => {
  it.each<[string, string, unknown, string, number]>([
    ['its default', 'const a: number = 1\nexport default a', 1, 'the default export', 2],
    ['its `tools`', '\n\nexport const tools = [1]', [1], 'the export `tools`', 3],
    ['its `tools` before its default', 'export const tools = 1\nexport default 2', 1, 'the export `tools`', 1],
    ['what a function gives', 'export default () => 1', 1, 'the result of the default export', 1],
    ['what it promises', 'export default async () => 1', 1, 'the result of the default export', 1],
    ['what is promised', 'export default Promise.resolve(1)', 1, 'the default export', 1],
  ])('is %s', async (_, text, exported, name, line) => {
    const { value } = await load(text)
    expect(value).toEqual({ exported, name, location: { file: 'serve.ts', line, column: 1 } })
  })

  it('is a class as it is, which nobody meant to call', async () => {
    const { value } = await load('export default class Server {}')
    expect(value?.exported).toBeTypeOf('function')
  })

  it('comes from modules of the older kind too', async () => {
    const root = rootWith({ 'serve.cjs': 'exports.tools = [1]' })
    expect((await loadServed(join(root, 'serve.cjs'), root)).value?.exported).toEqual([1])
  })
})

describe('a module that gives nothing', () => {
  it.each<[string, string, string, number, string]>([
    ['exports nothing', 'const a = 1', 'TG7002', 1, 'It has no exports.'],
    ['exports something else', 'export const a = 1, b = 2', 'TG7002', 1, 'It exports: a, b.'],
    ['has a syntax error', 'export default {', 'TG7001', 1, 'has a syntax error'],
    [
      'imports what is not there',
      "import a from './b.js'\nexport default a",
      'TG7001',
      1,
      "Cannot find module './b.js'",
    ],
  ])('%s', async (_, text, code, line, message) => {
    const { value, diagnostics } = await load(text)
    expect(value).toBeUndefined()
    expect(diagnostics).toMatchObject([
      { code, severity: 'error', location: { file: 'serve.ts', line }, message: expect.stringContaining(message) },
    ])
  })
})

it('the error for a module without exports shows what to write, with names of the project', async () => {
  const { diagnostics } = await load('const a = 1')
  expect(diagnostics[0]?.next).toContain('`export const tools = registerSupport(new Runtime(), ')
})

describe('a module that is named', () => {
  it('belongs to the nearest folder with a manifest', () => {
    const root = rootWith({ 'src/serve.ts': '', 'inner/package.json': '{}', 'inner/deep/serve.ts': '' })
    expect(findModule('src/serve.ts', root).value).toEqual({ file: join(root, 'src/serve.ts'), root })
    expect(findModule('deep/serve.ts', join(root, 'inner')).value?.root).toBe(join(root, 'inner'))
  })

  it('may be near one that is there, or a folder', () => {
    const root = rootWith({ 'src/serve.ts': '' })
    const next = (named: string): unknown => findModule(named, root).diagnostics[0]?.next
    expect(next('src/serv.ts')).toBe('Did you mean `src/serve.ts`?')
    expect(next('nothing/serve.ts')).toContain('Use the path of a TypeScript or JavaScript module')
    expect(findModule('src', root).diagnostics).toMatchObject([
      { code: 'TG0016', message: '`src` is a folder, not a module.' },
    ])
  })
})

it('a module reads `import.meta`, imports other modules later, and is evaluated once', async () => {
  const text = `import { basename } from 'node:path'
const { url, filename, dirname } = import.meta
globalThis.loads = (globalThis.loads ?? 0) + 1
const other = await import('./other.js')
export default { isUrl: url.startsWith('file:'), file: filename.slice(dirname.length + 1), name: basename(url), other }`
  const { value } = await load(text, { 'other.ts': 'export const there: string = "yes"' })
  expect(value?.exported).toMatchObject({ isUrl: true, file: 'serve.ts', name: 'serve.ts', other: { there: 'yes' } })
  await load('globalThis.loads += 1\nthrow new Error("after an effect")')
  expect(Reflect.get(globalThis, 'loads')).toBe(2)
})
