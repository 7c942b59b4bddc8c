import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import { apiDeclarations, type DeclarationOptions } from './declarations.js'

function spec(id: `${string}.${string}`, parts: Partial<ToolSpec> = {}): ToolSpec {
  const [toolset = '', name = ''] = id.split('.')
  return {
    id,
    toolset,
    name,
    namespace: 'default',
    toolName: `${toolset}_${name}`,
    title: name,
    description: '',
    tags: [],
    arguments: { type: 'object', properties: {}, additionalProperties: false },
    result: {},
    examples: [],
    serverOwned: [],
    annotations: {},
    hash: '',
    ...parts,
  }
}

const object = (properties: Readonly<Record<string, JsonSchema>>, ...required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** Returns the declarations without the first line, which declares `Json`. */
function declared(specs: readonly ToolSpec[], options?: DeclarationOptions): string {
  return apiDeclarations(specs, options).text.replace(/^.*\n/, '')
}

/** Returns the type that a schema has as the result of a tool. */
function typeOf(schema: JsonSchema): string {
  const text = declared([spec('a.b', { result: schema })])
  return /Promise<([\s\S]*)>\n}$/.exec(text)?.[1] ?? text
}

describe('declarations of tools', () => {
  it('have one namespace per toolset and one function per tool', () => {
    const order = object({ id: { type: 'string' }, status: { enum: ['open', 'shipped'] } }, 'id', 'status')
    const specs = [
      spec('orders.getOrder', {
        description: 'Fetch one order. It has all its lines.',
        arguments: object({ orderId: { type: 'string', description: 'Number on the invoice' } }, 'orderId'),
        result: order,
      }),
      spec('stock.count', {
        arguments: object({ limit: { type: 'integer', default: 10 } }, 'limit'),
        result: { type: 'integer' },
      }),
      spec('orders.list', { result: { type: 'array', items: order } }),
    ]
    expect(apiDeclarations(specs)).toEqual({
      text: `type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json }
declare namespace orders {
type GetOrderResult = { id: string; status: 'open' | 'shipped' }
/** Fetch one order */
function getOrder(args: {
  orderId: string // Number on the invoice
}): Promise<GetOrderResult>
function list(): Promise<GetOrderResult[]>
}
declare namespace stock {
function count(args?: { limit?: number }): Promise<number>
}`,
      functions: [
        {
          path: 'orders.getOrder',
          toolName: 'orders_getOrder',
          signature:
            'function getOrder(args: {\n  orderId: string // Number on the invoice\n}): Promise<GetOrderResult>',
        },
        {
          path: 'stock.count',
          toolName: 'stock_count',
          signature: 'function count(args?: { limit?: number }): Promise<number>',
        },
        { path: 'orders.list', toolName: 'orders_list', signature: 'function list(): Promise<GetOrderResult[]>' },
      ],
    })
  })

  it('declare definitions once, although several tools have them, and number different definitions of the same name', () => {
    const tree = object({ children: { type: 'array', items: { $ref: '#/$defs/node' } } }, 'children')
    const nodes = (result: JsonSchema) => ({ $defs: { node: result }, $ref: '#/$defs/node' })
    const text = declared([
      spec('t.a', { result: nodes(tree) }),
      spec('t.b', { result: nodes(tree) }),
      spec('t.c', { result: nodes({ type: 'string' }) }),
    ])
    expect(text).toBe(`declare namespace t {
type Node = { children: Node[] }
type Node2 = string
function a(): Promise<Node>
function b(): Promise<Node>
function c(): Promise<Node2>
}`)
  })

  it('have no comments, first sentences, or all descriptions', () => {
    const specs = [
      spec('n.get', {
        description: 'Read it, e.g. a note. Second sentence.',
        arguments: object({ at: { type: 'string', format: 'date', description: `${'long '.repeat(40)}. End.` } }, 'at'),
        result: object({ x: { type: 'string', description: 'The x.' } }),
      }),
    ]
    expect(declared(specs, { comments: 'none' })).toBe(
      'declare namespace n {\nfunction get(args: { at: string }): Promise<{ x?: string }>\n}',
    )
    expect(declared(specs)).toContain('/** Read it, e.g. a note */')
    expect(/\/\/ (long .*)/.exec(declared(specs))?.[1]?.length).toBeLessThan(132)
    expect(declared(specs)).toContain('… (date)\n')
    expect(declared(specs)).not.toContain('The x')
    expect(declared(specs, { comments: 'full' })).toContain('x?: string // The x\n')
    expect(declared(specs, { comments: 'full' })).toContain('Second sentence')
  })

  it('have short comments only where they say more than names', () => {
    const field = (description: string): JsonSchema => ({ type: 'string', description })
    const specs = [
      spec('m.searchSongs', {
        description: 'Search songs by title.',
        arguments: object(
          {
            title: field('The title of the songs to search for.'),
            artistName: field('Name of the artist (optional)'),
            year: field('Year of the release'),
            country: field(''),
            city: field('City, e.g. Rome'),
            when: { type: 'string', format: 'date', description: 'When' },
            near: { type: 'object', description: 'A place on the map', properties: { 'x y': field('West // east') } },
          },
          'title',
        ),
      }),
    ]
    const place = `near?: { 'x y'?: string }`
    expect(declared(specs)).toBe(`declare namespace m {
function searchSongs(args: {
  title: string; artistName?: string
  year?: string // Year of the release
  country?: string
  city?: string // City, e.g. Rome
  when?: string // (date)
  // A place on the map
  near?: {
    'x y'?: string // West // east
  }
}): Promise<Json>
}`)
    expect(declared(specs, { comments: 'none' })).toContain(
      `country?: string; city?: string; when?: string\n  ${place}\n`,
    )
    expect(declared(specs, { comments: 'full' })).toContain('/** Search songs by title */')
    expect(declared(specs, { comments: 'full' })).toContain('title: string // The title of the songs to search for\n')
  })

  it('convert names that are not identifiers, and keep names apart', () => {
    const { text, functions } = apiDeclarations([
      spec('my-notes.read-note'),
      spec('my_notes.read_note'),
      spec('my-notes.read_note'),
      spec('my-notes.delete'),
      spec('my-notes.2nd'),
      spec('my-notes.größe'),
      spec('my-notes.__proto__'),
    ])
    expect(functions.map(({ path, toolName }) => [path, toolName])).toEqual([
      ['my_notes.read_note', 'my-notes_read-note'],
      ['my_notes2.read_note', 'my_notes_read_note'],
      ['my_notes.read_note2', 'my-notes_read_note'],
      ['my_notes.delete_', 'my-notes_delete'],
      ['my_notes._2nd', 'my-notes_2nd'],
      ['my_notes.größe', 'my-notes_größe'],
      ['my_notes.__proto__', 'my-notes___proto__'],
    ])
    expect(text.match(/declare namespace/g)).toHaveLength(2)
  })

  it('contain no text of a description outside of comments', () => {
    const description = 'Ends */ } evil(): void; /* the comment.\nNew line'
    const text = declared([spec('a.b', { description, arguments: object({ x: { type: 'string', description } }) })], {
      comments: 'full',
    })
    expect(text.replaceAll(/^\/\*\*.*?\*\/$|\/\/.*/gm, '')).not.toContain('evil')
  })
})

describe('the type of a schema', () => {
  it.each<[string, JsonSchema, string]>([
    ['nothing', {}, 'Json'],
    ['true', true, 'Json'],
    ['false', false, 'never'],
    ['a scalar', { type: 'string', minLength: 3 }, 'string'],
    ['an integer', { type: 'integer' }, 'number'],
    ['several kinds', { type: ['string', 'null'] }, 'string | null'],
    ['listed values', { type: 'string', enum: ['a', 'b"c'] }, `'a' | "b\\"c"`],
    ['a constant', { const: { a: [1, null] } }, `{ 'a': [1, null] }`],
    ['an array', { type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    ['an array of anything', { type: 'array' }, 'Json[]'],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { enum: [1, 2] }], items: false, minItems: 1 },
      '[string, (1 | 2)?]',
    ],
    ['an open tuple', { type: 'array', prefixItems: [{ type: 'string' }], minItems: 1 }, '[string, ...Json[]]'],
    ['any object', { type: 'object' }, 'Record<string, Json>'],
    ['an empty object', { type: 'object', additionalProperties: false }, '{}'],
    ['a record', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [
      'an open object',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
      '{ a?: string; [key: string]: Json }',
    ],
    ['fields without a type', { properties: { 'a-b': {} } }, `{ 'a-b'?: Json }`],
    ['a union', { oneOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    ['a union with anything', { anyOf: [{ type: 'string' }, {}] }, 'Json'],
    [
      'an intersection',
      { allOf: [object({ a: { type: 'string' } }), { anyOf: [object({ b: { type: 'null' } }), { type: 'string' }] }] },
      '{ a?: string } & ({ b?: null } | string)',
    ],
    [
      'conditions on the same object',
      { ...(object({ a: {}, b: {} }) as object), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{ a?: Json; b?: Json }',
    ],
    ['a reference to a boolean', { $defs: { any: true }, $ref: '#/$defs/any' }, 'Json'],
    ['braces in texts', { enum: ['{', '|'] }, `'{' | '|'`],
  ])('%s', (_, schema, type) => {
    expect(typeOf(schema)).toBe(type)
  })
})

describe('names of namespaces', () => {
  it('are those of the toolsets in the agent', () => {
    const used = (as: string) => ({
      ...spec('orders.refund', { toolName: `${as}_refund` }),
      qualifiedId: `function.${as}.refund` as const,
    })
    const { functions } = apiDeclarations([used('eu'), used('us'), used('program')])
    expect(functions.map(({ path, toolName }) => [path, toolName])).toEqual([
      ['eu.refund', 'eu_refund'],
      ['us.refund', 'us_refund'],
      ['program_.refund', 'program_refund'],
    ])
  })
})

describe('names of types', () => {
  it('can have percent signs in the schema', () => {
    const result = { $ref: '#/$defs/100%25', $defs: { '100%': object({ a: { type: 'string' } }) } }
    expect(declared([spec('a.b', { result })])).toContain('Promise<_100>')
  })
})
