import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import Module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject, toolgenCommand } from './project.fixture.js'

/** Prints what is loaded: ES modules as they are resolved, the others at the end. */
const listing = `data:text/javascript,${encodeURIComponent(`
  import { createRequire, register } from 'node:module'
  import { writeSync } from 'node:fs'
  const hook = "import { writeSync } from 'node:fs'; export async function load(url, context, next) { if (url.startsWith('file:')) writeSync(2, 'loaded ' + url + '\\\\n'); return next(url, context) }"
  register('data:text/javascript,' + encodeURIComponent(hook))
  const { cache } = createRequire('/')
  process.on('exit', () => { for (const file of Object.keys(cache)) writeSync(2, 'loaded file://' + file + '\\n') })
`)}`

const codegen = fileURLToPath(new URL('../../packages/codegen', import.meta.url))

let project: Project
beforeAll(() => {
  // Does nothing but bundle if the packages are built.
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))])
  project = createProject()
})
afterAll(() => project.remove())

function loadedBy(...args: readonly string[]): readonly string[] {
  const { stderr } = project.node(['--import', listing, toolgenCommand, ...args])
  return [...new Set([...stderr.matchAll(/^loaded (.*)$/gm)].map(([, url = '']) => url))]
}

it.each([
  { args: ['--help'], most: 1 },
  { args: ['--version'], most: 1 },
  { args: ['generate', '--help'], most: 1 },
  { args: ['generate', '-c', 'other.ts', '--help'], most: 4 },
  { args: ['explain', 'TG5001'], most: 10 },
])('$args loads only modules of the bundle, at most $most', ({ args, most }) => {
  const own = new URL('../../packages/codegen/', import.meta.url).href
  const loaded = loadedBy(...args).map((url) => url.replace(own, ''))
  expect(loaded.filter((path) => !/^bin\/toolgen|^bundle\//.test(path))).toEqual([])
  expect(loaded.length).toBeGreaterThan(0)
  expect(loaded.length).toBeLessThanOrEqual(most)
})

it('the texts of the bundle are those that commander prints', () => {
  const texts: Record<string, string> = JSON.parse(readFileSync(join(codegen, 'bundle/help.json'), 'utf8'))
  const paths = Object.keys(JSON.parse(readFileSync(join(codegen, 'templates/commands.json'), 'utf8')))
  const helps = paths.flatMap((path) => ['--help', '-h'].map((option) => [...path.split(' '), option].join('\0')))
  const expected = [...helps.map((key) => key.replace('toolgen\0', '')), '--version', '-v']
  expect(Object.keys(texts).sort()).toEqual(expected.sort())
  // Threads run the compiled modules, which have no texts of a bundle.
  for (const [key, text] of Object.entries(texts)) expect(project.toolgen(...key.split('\0')).stdout).toBe(text)
})

it('a bundle that is older than the compiled modules is not used', () => {
  const clone = mkdtempSync(join(tmpdir(), 'toolgen-clone-'))
  const copy = join(clone, 'packages/codegen')
  for (const folder of ['bin', 'bundle', 'src/cli', 'dist/cli']) mkdirSync(join(copy, folder), { recursive: true })
  cpSync(join(codegen, 'bin'), join(copy, 'bin'), { recursive: true })
  for (const folder of ['bundle', 'dist/cli'])
    writeFileSync(join(copy, folder, 'entry.js'), `export const start = () => console.log('${folder}')`)
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }')
  const run = (): string => project.node([join(copy, 'bin/toolgen.js')]).stdout.trim()
  const compiled = join(copy, 'dist/.tsbuildinfo')
  writeFileSync(compiled, '')
  expect(run()).toBe('dist/cli')
  writeFileSync(
    join(copy, 'bundle/inputs.json'),
    JSON.stringify({ '../dist/.tsbuildinfo': statSync(compiled).mtimeMs }),
  )
  expect(run()).toBe('bundle')
  utimesSync(compiled, new Date(0), new Date(0))
  expect(run()).toBe('dist/cli')
  rmSync(join(copy, 'src'), { recursive: true })
  expect(run()).toBe('bundle')
  rmSync(clone, { recursive: true })
})

it('a design without a service client loads neither TypeScript nor Babel', () => {
  project.write({
    'package.json': '{ "type": "module" }',
    'toolgen.config.ts': `export default { design: 'design.ts' }`,
    'design.ts': `import { defineAgent, defineTool, defineToolset, fromExecutor } from '@toolgen/dsl'
import { z } from 'zod'
const getOrder = defineTool({ description: 'Fetch an order.', payload: z.object({}), result: z.object({}) })
export const orders = defineToolset('orders', { description: 'Orders.', tools: { getOrder } })
export const support = defineAgent('support', { description: 'Answers.', uses: [fromExecutor(orders)] })`,
  })
  const loaded = loadedBy('generate', '--no-cache')
  expect(project.has('gen/agents/support/index.ts')).toBe(true)
  expect(loaded.filter((url) => /\/(?:ts-morph|typescript|babel)\b/.test(url))).toEqual([])
  for (const name of ['oxc-transform', 'jiti']) expect(loaded.join('\n')).toContain(`/${name}/`)
})

describe.skipIf('enableCompileCache' in Module)('on Node 20, the compiled code of the compiler', () => {
  let folder = ''
  let source = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolgen-code-'))
    source = `exports.later = () => 'called later'; exports.answer = () => 42`
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  /** Loads a small file as the compiler is loaded, calls one of its functions, and returns the files of the cache with their identity. */
  const load = (env: Readonly<Record<string, string>> = {}, answer = '42'): readonly string[] => {
    const file = join(project.root, 'library.cjs')
    writeFileSync(file, source)
    const script = `import { createRequire } from 'node:module'
      import { loadWithCodeCache } from ${JSON.stringify(pathToFileURL(join(codegen, 'dist/load/code-cache.js')))}
      loadWithCodeCache(${JSON.stringify(file)})
      console.log(createRequire(import.meta.url)(${JSON.stringify(file)}).answer())`
    const { stdout, stderr } = project.node(['--input-type=module', '-e', script], {
      NODE_COMPILE_CACHE: folder,
      ...env,
    })
    expect({ stdout, stderr }).toEqual({ stdout: `${answer}\n`, stderr: '' })
    return readdirSync(folder).map((name) => `${name} ${statSync(join(folder, name)).ino}`)
  }

  it('is stored by a command that compares tools with a client', () => {
    const other = createProject(smallProject)
    expect(other.node([toolgenCommand, 'generate'], { NODE_COMPILE_CACHE: folder })).toMatchObject({ code: 0 })
    other.remove()
    expect(readdirSync(folder).filter((name) => /^(?:typescript|ts-morph-common)\.js-/.test(name))).toHaveLength(2)
  })

  it('is written only once', () => {
    const first = load()
    expect(first).toHaveLength(1)
    expect(load()).toEqual(first)
  })

  it.each([
    ['another file', (_: Buffer) => Buffer.from('damaged')],
    ['a file whose second half is lost', (bytes: Buffer) => bytes.fill(0, bytes.length / 2)],
    ['a part of the file', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ])('is written again if it is damaged: %s', (_, damaged) => {
    const [first = ''] = load()
    const [name = ''] = first.split(' ')
    const bytes = readFileSync(join(folder, name))
    writeFileSync(join(folder, name), damaged(Buffer.from(bytes)))
    expect(load()).not.toEqual([first])
    expect(readFileSync(join(folder, name)).length).toBe(bytes.length)
    expect(load()).toEqual(load())
  })

  it('is not used for a file with another text of the same length', () => {
    expect(load()).toHaveLength(1)
    source = source.replace('42', '43')
    expect(load({}, '43')).toHaveLength(2)
  })

  it('is not used if another user can write it, or if caches of code are disabled', () => {
    expect(load({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([])
    chmodSync(folder, 0o777)
    expect(load()).toEqual([])
    for (const TMPDIR of ['/proc', join(folder, 'none')]) expect(load({ NODE_COMPILE_CACHE: '', TMPDIR })).toEqual([])
  })
})
