import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Json } from '../../packages/codegen/src/ir/types.js'
import { bindServices, type ServiceBindings } from '../../packages/codegen/src/services/bind-services.js'
import {
  clientModule,
  designWith,
  list,
  object,
  string,
  type ToolCase,
} from '../../packages/codegen/src/services/bound-design.fixture.js'
import { executorFile } from './client-project.js'
import { faultsOf, generateInto, newProject, removeProject } from './generated-executor.js'

/** A constant so deep that comparing it with a type ends the stack; as JSON it is short. */
function endlessConstant(): Json {
  let deep: Json = []
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
  return Object.assign(Object.create({ toJSON: () => 'deep' }), { deep })
}

/** The collection of a document database, as its driver declares it. */
const collection = `
type Flatten<Type> = Type extends ReadonlyArray<infer Item> ? Item : Type
type WithId<Schema> = Omit<Schema, '_id'> & { _id: ObjectId }
declare class ObjectId { toHexString(): string }
interface Doc { name: string; tags?: string[]; address: { city: string } | null; visits?: number }
interface Client {
  distinct<Key extends keyof WithId<Doc>>(key: Key): Promise<Array<Flatten<WithId<Doc>[Key]>>>
  field<Key extends keyof Doc>(key: Key): Promise<Doc[Key]>
  replace<Key extends keyof Doc>(key: Key, value: Flatten<Doc[Key]>): Promise<{ count: number }>
  find(filter: { name?: string }): Promise<{ name: string }[]>
}`

const name = object({ name: string })
const collectionTools: Readonly<Record<string, ToolCase>> = {
  distinct: { payload: object({ key: { enum: ['name', 'tags'] } }), result: list(string) },
  field: { payload: object({ key: { enum: ['name', 'tags'] } }), result: string },
  replace: {
    payload: object({ key: { enum: ['name', 'tags'] }, value: { type: 'boolean' } }),
    result: object({ count: { type: 'number' } }),
  },
  find: { payload: name, result: list(name), method: 'find' },
}

let root = ''
afterEach(() => removeProject(root))

async function bound(
  types: string,
  tools: Readonly<Record<string, ToolCase>>,
  cached = false,
): Promise<ServiceBindings> {
  root = newProject({ 'package.json': '{ "type": "module" }', 'client.ts': clientModule(`export ${types.trim()}`) })
  return bindServices(designWith(tools), { root, ...(cached && { cacheFolder: join(root, '.cache') }) })
}

function verdictsOf({ value, diagnostics }: ServiceBindings): Readonly<Record<string, string>> {
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  const plans = Object.entries(value?.keeper?.zoo ?? {})
  return Object.fromEntries(
    plans.map(([tool, { payload, result }]) => {
      const codes = diagnostics.filter(({ message }) => message.startsWith(`\`${tool}\`:`)).map(({ code }) => code)
      return [tool, [`${payload.verdict} / ${result.verdict}`, ...codes].join(' ')]
    }),
  )
}

describe('a method whose types depend on a type parameter', () => {
  it('defect 10a: needs a mapper for a conditional type, and the other tools are bound', async () => {
    const found = await bound(collection, collectionTools)
    expect(verdictsOf(found)).toEqual({
      distinct: 'pass / mapper TG4216',
      field: 'pass / mapper TG4202',
      find: 'pass / pass',
      replace: 'mapper / pass TG4116',
    })
    const [reason] = found.diagnostics.filter(({ code }) => code === 'TG4216')
    expect(reason?.message).toContain('Flatten<')
    expect(reason?.next).toContain('`toolsets.zoo.mappers.distinct.result`')
    const executor = generateInto(root, designWith(collectionTools), found.value ?? {})
    expect(executor).toMatch(/readonly distinct: \{[^}]*readonly result: Mapper</)
    expect(faultsOf(root, '7.0', [executorFile])).toBe('')
  })

  it('defect 10: needs a mapper for a parameter of a conditional type, although one of its branches fits', async () => {
    const types = `interface Client {
  whole<T>(r: T extends string ? { x: string } : { z: number }): Promise<{ id: string }>
  field<T>(r: { a: T extends string ? { x: string } : { z: number } }): Promise<{ id: string }>
  filter<T extends unknown[]>(ids: T extends unknown[] ? T : never): Promise<{ id: string }>
  single<T>(r: { id: string; a?: T extends string ? { x: string } : { z: number } }): Promise<{ id: string }>
}`
    const result = object({ id: string })
    const x = object({ x: string })
    const tools: Readonly<Record<string, ToolCase>> = {
      whole: { payload: x, result },
      field: { payload: object({ a: x }), result },
      filter: { payload: object({ ids: list(string) }), result },
      single: { payload: object({ id: string }), result },
    }
    const found = await bound(types, tools)
    expect(verdictsOf(found)).toEqual({
      whole: 'mapper / pass TG4116',
      field: 'mapper / pass TG4116',
      filter: 'convert / pass',
      single: 'pass / pass',
    })
    generateInto(root, designWith(tools), found.value ?? {})
    expect(faultsOf(root, '7.0', [executorFile])).toBe('')
  })

  it('defect 10: a method that returns a promise of a promise is awaited as TypeScript awaits it', async () => {
    const types = `interface Client {
  twice(): Promise<Promise<{ id: string }>>
  maybe(): Promise<{ id: string } | Promise<{ id: string }>>
  thenable(): PromiseLike<PromiseLike<{ id: string }>>
}`
    const tool = { payload: object({}), result: object({ id: string }) }
    const tools = { twice: tool, maybe: tool, thenable: tool }
    const found = await bound(types, tools)
    expect(verdictsOf(found)).toEqual({ twice: 'pass / pass', maybe: 'pass / pass', thenable: 'pass / pass' })
    generateInto(root, designWith(tools), found.value ?? {})
    expect(faultsOf(root, '7.0', [executorFile])).toBe('')
  })

  it('defect 10a: is checked at run time where the design says so', async () => {
    const tools: typeof collectionTools = {
      distinct: {
        ...collectionTools.distinct,
        result: list(string),
        payload: object({ key: { enum: ['name'] } }),
        answer: 'checked',
      },
    }
    const found = await bound(collection, tools)
    expect(verdictsOf(found)).toEqual({ distinct: 'pass / checked' })
    generateInto(root, designWith(tools), found.value ?? {})
    expect(faultsOf(root, '7.0', [executorFile])).toBe('')
  })
})

describe('an internal error while a tool is bound', () => {
  const types =
    'interface Client { odd(p: { a: string; b?: unknown }): Promise<{ a: string }>; even(p: { a: string }): Promise<{ a: string }> }'
  const tool = { payload: object({ a: string }), result: object({ a: string }) }
  const odd = { ...tool, constants: { b: endlessConstant() } }

  it('defect 10b: is a warning about the tool and its method, which then need mappers, and the others are bound', async () => {
    const tools = { first: { ...tool, method: 'even' }, odd, even: tool }
    const found = await bound(types, tools)
    expect(verdictsOf(found)).toEqual({ even: 'pass / pass', first: 'pass / pass', odd: 'mapper / mapper TG4303' })
    expect(found.diagnostics).toMatchObject([
      {
        code: 'TG4303',
        severity: 'warning',
        message:
          '`odd`: The types of `client.odd` cannot be compared because of a bug in toolgen: RangeError: Maximum call stack size exceeded.',
        next: expect.stringContaining('`toolsets.zoo.mappers.odd.payload` and `toolsets.zoo.mappers.odd.result`'),
      },
    ])
    const executor = generateInto(root, designWith(tools), found.value ?? {})
    expect(executor).toMatch(/readonly odd: \{[^}]*readonly payload: Mapper<[^}]*readonly result: Mapper</)
    expect(executor).toContain('readonly even?: ToolMappers<')
    expect(faultsOf(root, '7.0', [executorFile])).toBe('')
  })

  it('defect 10c: is kept by no cache', async () => {
    await bound(types, { odd }, true)
    expect(existsSync(join(root, '.cache'))).toBe(false)
    const memory = {}
    const first = await bindServices(designWith({ odd, even: tool }), { root }, memory)
    const again = await bindServices(designWith({ odd: { ...tool, method: 'even' }, even: tool }), { root }, memory)
    expect(first.diagnostics).toHaveLength(1)
    expect(again.diagnostics).toEqual([])
    const found = await bindServices(designWith({ odd, even: tool }), { root }, memory)
    expect(verdictsOf(found)).toEqual({ even: 'pass / pass', odd: 'mapper / mapper TG4303' })
  })
})
