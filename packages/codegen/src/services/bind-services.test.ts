import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bindServices } from './bind-services.js'
import { clientModule, designWith, nil, object, projectWith, string } from './bound-design.fixture.js'
import type { ServiceMemory } from './service-memory.js'

let root = ''

beforeEach(() => {
  root = projectWith({
    'package.json': '{ "type": "module" }',
    'client.ts': clientModule("import type { Id } from './id.js'\ninterface Client { get(id: Id): Promise<void> }"),
    'id.ts': 'export type Id = string',
  })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const design = designWith({ get: { payload: object({ id: string }), result: nil } })

/** The verdict on the payload of `get`, after a run that may use what an earlier one kept. */
async function verdict(ir = design): Promise<string | undefined> {
  const { value } = await bindServices(ir, { root, cacheFolder: join(root, '.cache') })
  return value?.keeper?.zoo?.get?.payload.verdict
}

test('a design without services loads no compiler', async () => {
  const found = await bindServices({ ...design, agents: [] }, { root: '/nowhere' })
  expect(found.diagnostics).toEqual([])
  expect(found.value).toBeDefined()
})

test('a second run answers from the cache, byte for byte', async () => {
  const first = await bindServices(design, { root, cacheFolder: join(root, '.cache') })
  const file = join(root, '.cache/service-binding.json')
  const text = readFileSync(file, 'utf8')
  // A mark that only a run from the cache can bring back.
  writeFileSync(file, text.replace('"verdict":"pass"', '"verdict":"convert"'))
  expect(await verdict()).toBe('convert')
  writeFileSync(file, text)
  const second = await bindServices(design, { root, cacheFolder: join(root, '.cache') })
  expect(JSON.stringify(second)).toBe(JSON.stringify(first))
})

test('an edit that only moves lines keeps the plans, and diagnostics get the new lines', async () => {
  const inconvertible = designWith({ get: { payload: object({ other: string }), result: nil } })
  const moved = JSON.parse(
    JSON.stringify(inconvertible).replaceAll(/"line":(\d+)/g, (_, line) => `"line":${+line + 7}`),
  )
  const project = { root, cacheFolder: join(root, '.cache') }
  const lines = async (ir: typeof inconvertible, memory?: ServiceMemory): Promise<readonly unknown[]> => {
    const { value, diagnostics } = await bindServices(ir, memory === undefined ? project : { root }, memory)
    return [value?.keeper?.zoo?.get?.payload.verdict, ...diagnostics.map(({ location }) => location?.line)]
  }
  const memory: ServiceMemory = {}
  const [, line] = await lines(inconvertible)
  expect(await lines(inconvertible, memory)).toEqual(['mapper', line])
  const program = vi.spyOn(memory.clients?.project ?? expect.unreachable(), 'program')
  const file = join(root, '.cache/service-binding.json')
  const text = readFileSync(file, 'utf8')
  // A mark that only a run from the cache can bring back.
  writeFileSync(file, text.replace('"verdict":"mapper"', '"verdict":"pass"'))
  expect(await lines(moved)).toEqual(['pass', Number(line) + 7])
  expect(await lines(moved, memory)).toEqual(['mapper', Number(line) + 7])
  expect(program).not.toHaveBeenCalled()
})

test('a file that a client depends on makes the cache stale when it changes', async () => {
  expect(await verdict()).toBe('pass')
  writeFileSync(join(root, 'id.ts'), 'export type Id = number')
  expect(await verdict()).toBe('mapper')
})

test('a new file that shadows another makes the cache stale', async () => {
  rmSync(join(root, 'id.ts'))
  writeFileSync(join(root, 'id.d.ts'), 'export type Id = string')
  expect(await verdict()).toBe('pass')
  writeFileSync(join(root, 'id.ts'), 'export type Id = number')
  expect(await verdict()).toBe('mapper')
})

test('a new tsconfig makes the cache stale, and so does the file that it extends', async () => {
  const paths = (file: string): string =>
    JSON.stringify({ compilerOptions: { module: 'ESNext', moduleResolution: 'Bundler', paths: { ids: [file] } } })
  projectWith(
    {
      'client.ts': clientModule("import type { Id } from 'ids'\ninterface Client { get(id: Id): Promise<void> }"),
      'other.ts': 'export type Id = number',
    },
    root,
  )
  expect(await verdict()).toBeUndefined()
  projectWith({ 'base.json': paths('./id.ts'), 'tsconfig.json': '{ "extends": "./base.json" }' }, root)
  expect(await verdict()).toBe('pass')
  writeFileSync(join(root, 'base.json'), paths('./other.ts'))
  expect(await verdict()).toBe('mapper')
})

test('a tsconfig that cannot be read is an error, until it and what it extends can be', async () => {
  const project = { root, cacheFolder: join(root, '.cache') }
  const faults = async (): Promise<readonly string[]> =>
    (await bindServices(design, project)).diagnostics.map(
      ({ code, location }) => `${code} ${location?.file}:${location?.line}`,
    )
  writeFileSync(join(root, 'tsconfig.json'), '{ "extends": "./base.json" }')
  expect(await faults()).toEqual(['TG1012 tsconfig.json:1'])
  writeFileSync(join(root, 'base.json'), '{\n  "compilerOptions": {,}\n}')
  expect(await faults()).toEqual(['TG1012 base.json:2'])
  writeFileSync(join(root, 'base.json'), '{}')
  expect(await verdict()).toBe('pass')
})

test.each([
  ['{ "moduleResolution": "node" }', '"moduleResolution": "node10"'],
  ['{ "module": "commonjs" }', '"module": "commonjs"'],
  ['{ "target": "es2022" }', 'no "module"'],
])('a tsconfig under which tsc finds no entry of the runtime is a warning: %s', async (compilerOptions, said) => {
  projectWith(
    {
      'tsconfig.json': `{ "compilerOptions": ${compilerOptions} }`,
      'node_modules/typescript/package.json': '{ "version": "5.9.3" }',
    },
    root,
  )
  const { value, diagnostics } = await bindServices(design, { root })
  expect(value).toBeDefined()
  expect(diagnostics).toMatchObject([
    {
      code: 'TG1014',
      severity: 'warning',
      message: expect.stringContaining(`With ${said}, `),
      location: { file: 'tsconfig.json' },
    },
  ])
  const withoutClients = await bindServices({ ...design, agents: [] }, { root })
  expect(withoutClients).toEqual({ value: {}, diagnostics, read: [join(root, 'tsconfig.json')] })
})

test.each([
  ['{ "module": "nodenext" }', '5.9.3'],
  ['{ "module": "esnext", "moduleResolution": "bundler" }', '5.9.3'],
  ['{ "module": "commonjs" }', '6.0.2'],
])('a tsconfig under which tsc finds the runtime is none: %s of TypeScript %s', async (compilerOptions, version) => {
  projectWith(
    {
      'tsconfig.json': `{ "compilerOptions": ${compilerOptions} }`,
      'node_modules/typescript/package.json': JSON.stringify({ version }),
    },
    root,
  )
  expect((await bindServices(design, { root })).diagnostics).toEqual([])
  expect((await bindServices({ ...design, agents: [] }, { root })).diagnostics).toEqual([])
})

test.each([
  ['{ "module": "nodenext" }', '{}', []],
  ['{ "module": "esnext", "moduleResolution": "bundler" }', '{ "module": "esnext" }', []],
  ['{ "module": "nodenext" }', '{ "module": "commonjs" }', ['"module": "commonjs"']],
  ['{ "moduleResolution": "node" }', '{ "strict": true }', ['"moduleResolution": "node10"']],
])('a tsconfig that extends another one has its module resolution: %s, then %s', async (base, own, said) => {
  projectWith(
    {
      'base.json': `{ "compilerOptions": ${base} }`,
      'tsconfig.json': `{ "extends": "./base", "compilerOptions": ${own} }`,
      'node_modules/typescript/package.json': '{ "version": "5.9.3" }',
    },
    root,
  )
  const { diagnostics, read } = await bindServices({ ...design, agents: [] }, { root })
  expect(diagnostics).toMatchObject(said.map((each) => ({ message: expect.stringContaining(`With ${each}, `) })))
  expect(read).toEqual(expect.arrayContaining([join(root, 'tsconfig.json'), join(root, 'base.json')]))
})

test('a new file that no client depends on leaves the cache alone', async () => {
  projectWith({ 'tsconfig.json': '{ "compilerOptions": { "module": "NodeNext", "strict": true } }' }, root)
  expect(await verdict()).toBe('pass')
  const file = join(root, '.cache/service-binding.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"verdict":"pass"', '"verdict":"convert"'))
  projectWith({ 'gen/orders.ts': 'export {}' }, root)
  expect(await verdict()).toBe('convert')
})

test('another design makes the cache stale', async () => {
  expect(await verdict()).toBe('pass')
  expect(await verdict(designWith({ get: { payload: object({ name: string }), result: nil } }))).toBe('mapper')
})

test('an invalid cache is replaced', async () => {
  await verdict()
  writeFileSync(join(root, '.cache/service-binding.json'), '{ not json')
  expect(await verdict()).toBe('pass')
})

test('nothing is kept without a folder for it', async () => {
  await bindServices(design, { root })
  expect(existsSync(join(root, '.cache'))).toBe(false)
})

test('errors leave no plans', async () => {
  const wrong = designWith({ get: { payload: object({}), result: nil, method: 'got' } })
  const { value, diagnostics } = await bindServices(wrong, { root })
  expect(value).toBeUndefined()
  expect(diagnostics.map(({ code, severity, near }) => [code, severity, near])).toEqual([['TG4005', 'error', ['get']]])
})

test('no diagnostic names a folder outside the project', async () => {
  const wrong = designWith({ get: { payload: object({ other: string }), result: object({ x: string }) } })
  const { diagnostics } = await bindServices(wrong, { root })
  expect(diagnostics.length).toBe(2)
  expect(JSON.stringify(diagnostics)).not.toContain(root)
})
