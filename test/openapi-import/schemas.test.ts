import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { valueValidator } from '../../packages/codegen/src/schema/definitions.js'
import type { Json } from '../../packages/codegen/src/schema/json-schema.js'
import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import { contentOf } from './documents.fixture.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Imports a document of two operations: one takes and returns a schema, the other neither. */
async function imported(schema: object, schemas: object) {
  const content = { 'application/json': { schema } }
  const paths = {
    '/one': {
      post: { operationId: 'one', summary: 'One.', requestBody: { content }, responses: { 200: { content } } },
    },
    '/two': { get: { operationId: 'two', summary: 'Two.', responses: {} } },
  }
  const servers = [{ url: 'https://example.com' }]
  const text = JSON.stringify({ openapi: '3.1.0', info: {}, servers, paths, components: { schemas } })
  const { files, tools, diagnostics } = await importOpenApi('api', { text, file: 'api.json', shown: '`api.json`' })
  return { tools, design: contentOf({ files }), diagnostics }
}

/** Whether a value may be the body of the first operation. */
async function fits(schema: object, schemas: object, body: Json): Promise<boolean> {
  const { tools, definitions } = (await imported(schema, schemas)).design
  const { value } = toJsonSchema({ ...tools.one.payload, $defs: definitions }, { io: 'input', hint: 'Root' })
  const check = valueValidator(Object.fromEntries(value?.defs ?? []), 'reject')
  return check(value?.root ?? false, { body }).length === 0
}

describe('alternatives with a discriminator', () => {
  const Pet = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } }
  const pet = (fields: object) => ({ allOf: [ref('Pet'), { type: 'object', properties: fields }] })
  const schemas = { Pet, Cat: pet({ meow: { type: 'boolean' } }), Dog: pet({ bark: { type: 'boolean' } }) }
  const oneOf = [ref('Cat'), ref('Dog')]
  const propertyName = 'kind'

  it('are distinguished by the values in the mapping, by name or by reference', async () => {
    const mapping = { cat: 'Cat', dog: '#/components/schemas/Dog', wolf: 'Dog' }
    const schema = { oneOf, discriminator: { propertyName, mapping } }
    expect(await fits(schema, schemas, { kind: 'cat', meow: true })).toBe(true)
    expect(await fits(schema, schemas, { kind: 'wolf' })).toBe(true)
    expect(await fits(schema, schemas, { kind: 'Cat' })).toBe(false)
    expect(await fits(schema, schemas, { kind: 'dog', meow: true })).toBe(false)
  })

  it('defect 13: are reported where the mapping leads to a schema that does not exist', async () => {
    const mapping = { cat: 'Cat', cow: 'Cow', bird: '#/components/schemas/Bird', fish: 'https://example.com/fish.json' }
    const { diagnostics, tools } = await imported({ oneOf, discriminator: { propertyName, mapping } }, schemas)
    const at = '/paths/~1one/post/requestBody/content/application~1json/schema/discriminator/mapping'
    const isOfBody = diagnostics.filter(({ message }) => message.includes(at))
    expect(isOfBody.map(({ code, severity }) => `${severity} ${code}`)).toEqual(Array(3).fill('warning TG6217'))
    expect(isOfBody[0]?.message).toBe(
      `The discriminator value \`cow\` at ${at} is ignored: the document has no schema \`Cow\`.`,
    )
    expect(tools).toBe(2)
  })

  it('are distinguished by their names without a mapping, and definitions stay unchanged', async () => {
    const { design, diagnostics } = await imported({ oneOf, discriminator: { propertyName } }, schemas)
    expect(diagnostics).toEqual([])
    const { definitions, tools } = design
    expect(definitions.Pet).toEqual(Pet)
    expect(tools.one.result.oneOf).toEqual(
      ['Cat', 'Dog'].map((name) => ({
        allOf: [
          { $ref: `#/$defs/${name}` },
          { type: 'object', properties: { kind: { const: name } }, required: ['kind'] },
        ],
      })),
    )
  })

  it('stay as they are where they have values of their own', async () => {
    const own = (kind: object) => ({ type: 'object', properties: { kind } })
    const { design } = await imported(
      { oneOf: [...oneOf, { type: 'null' }], discriminator: { propertyName } },
      { Cat: own({ const: 'cat' }), Dog: own({ type: 'string', enum: ['dog', 'wolf'] }) },
    )
    expect(design.tools.one.result.oneOf).toEqual([{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }, { type: 'null' }])
  })

  it.each<[string, object]>([
    ['is no text', { type: 'object', properties: { kind: { type: 'integer' } } }],
    ['is not sent', { type: 'object', properties: { kind: { type: 'string', readOnly: true } } }],
    ['is none of the fields', { type: 'object', properties: { a: {} }, additionalProperties: false }],
    ['has a value of another one', { type: 'object', properties: { kind: { const: 'Cat' } } }],
  ])('need not exclude each other where the field of one %s', async (_, Dog) => {
    const { design } = await imported({ oneOf, discriminator: { propertyName } }, { ...schemas, Dog })
    const { body } = design.tools.one.payload.properties
    expect(body.oneOf).toBeUndefined()
    expect(body.anyOf).toHaveLength(2)
  })
})

describe('defect 12: variants that are unions themselves', () => {
  const kinds = (...kind: readonly string[]) => ({
    type: 'object',
    properties: { kind: { enum: kind } },
    required: ['kind'],
  })
  const plain = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } }
  const discriminator = { propertyName: 'kind' }
  const union = { oneOf: [ref('Rock'), ref('Animal')], discriminator }
  const Rock = kinds('rock')

  it('defect 12: have the values of their own variants, in oneOf, anyOf and allOf', async () => {
    const Animal = { anyOf: [ref('Cat'), { allOf: [ref('Dog'), plain] }] }
    const schemas = { Rock, Animal, Cat: kinds('cat'), Dog: { oneOf: [kinds('dog'), kinds('wolf')] } }
    const { body } = (await imported(union, schemas)).design.tools.one.payload.properties
    expect(body.oneOf).toEqual([{ $ref: '#/$defs/Rock' }, { $ref: '#/$defs/Animal' }])
    for (const kind of ['rock', 'cat', 'dog', 'wolf']) expect(await fits(union, schemas, { kind })).toBe(true)
    expect(await fits(union, schemas, { kind: 'Animal' })).toBe(false)
  })

  it('defect 12: have the tags that a discriminator of their own gives their variants', async () => {
    const schemas = { Rock, Animal: { oneOf: [ref('Cat'), ref('Dog')], discriminator }, Cat: plain, Dog: plain }
    expect(await fits(union, schemas, { kind: 'Cat' })).toBe(true)
    expect(await fits(union, schemas, { kind: 'Animal' })).toBe(false)
    expect((await imported(union, schemas)).design.tools.one.result.oneOf).toHaveLength(2)
  })

  it('defect 12: have the tags of the schemas that inherit from them', async () => {
    const Animal = { ...plain, discriminator: { ...discriminator, mapping: { cat: 'Cat', dog: 'Dog' } } }
    const schemas = { Rock, Animal, Cat: { allOf: [ref('Animal')] }, Dog: { allOf: [ref('Animal')] } }
    expect(await fits(union, schemas, { kind: 'dog' })).toBe(true)
    expect(await fits(union, schemas, { kind: 'Animal' })).toBe(false)
  })

  it('defect 12: get no name that one of their variants cannot have', async () => {
    const schemas = { Rock, Animal: { oneOf: [kinds('cat'), { ...plain, title: 'Other' }] } }
    const { body } = (await imported(union, schemas)).design.tools.one.payload.properties
    expect(body.anyOf).toEqual([{ $ref: '#/$defs/Rock' }, { $ref: '#/$defs/Animal' }])
  })

  it.each<[string, object]>([
    ['a list of values or null', { anyOf: [{ type: 'string', enum: ['animal'] }, { type: 'null' }] }],
    ['lists of values by way of another schema', { allOf: [ref('Tag')] }],
    ['a pattern', { type: 'string', pattern: '^[a-z]+$' }],
    ['a length', { type: 'string', maxLength: 5 }],
  ])('defect 12: get no name that contradicts %s', async (_, kind) => {
    const Animal = { type: 'object', properties: { kind }, required: ['kind'] }
    const { design, diagnostics } = await imported(union, {
      Rock,
      Animal,
      Tag: { oneOf: [{ const: 'cat' }, { const: 'dog' }] },
    })
    expect(diagnostics).toEqual([])
    const { body } = design.tools.one.payload.properties
    expect(body.oneOf ?? body.anyOf).toEqual([{ $ref: '#/$defs/Rock' }, { $ref: '#/$defs/Animal' }])
  })

  it('defect 12: are reported where no value fits one of them', async () => {
    const Animal = { oneOf: [{ allOf: [ref('Cat'), kinds('dog')] }, ref('Dog')] }
    const { tools, diagnostics } = await imported(union, { Rock, Animal, Cat: kinds('cat'), Dog: kinds('dog') })
    expect(tools).toBe(2)
    expect(diagnostics).toMatchObject([
      {
        ...{ code: 'TG6215', severity: 'warning' },
        message:
          'The variant `Cat` of a union in `Animal` accepts no value: its required field `kind` accepts no value.',
        location: { file: 'api.json' },
      },
    ])
  })
})

describe('variants that inherit from a schema with a discriminator', () => {
  const of = (name: string, fields: object, more: object = {}) => ({
    allOf: [ref(name), { type: 'object', properties: fields, ...more }],
  })
  const kind = { type: 'string' }
  const Pet = {
    type: 'object',
    required: ['kind'],
    properties: { kind, friend: ref('Pet') },
    discriminator: { propertyName: 'kind', mapping: { dog: '#/components/schemas/Dog', cat: 'Cat' } },
  }
  const Dog = of('Pet', { bark: { type: 'boolean' } }, { required: ['bark'] })
  const schemas = { Pet, Dog, Cat: of('Pet', { meow: { type: 'boolean' } }) }

  it('are what a reference to it means', async () => {
    expect(await fits(ref('Pet'), schemas, { kind: 'dog', bark: true })).toBe(true)
    expect(await fits(ref('Pet'), schemas, { kind: 'cat', friend: { kind: 'dog', bark: false } })).toBe(true)
    expect(await fits(ref('Pet'), schemas, { kind: 'dog' })).toBe(false)
    expect(await fits(ref('Pet'), schemas, { kind: 'cat', bark: true })).toBe(false)
    expect(await fits(ref('Pet'), schemas, { kind: 'Pet' })).toBe(false)
    expect(await fits(ref('Dog'), schemas, { kind: 'dog', bark: true })).toBe(true)
    expect(await fits({ allOf: [ref('Pet')], description: 'Mine.' }, schemas, { kind: 'dog', bark: true })).toBe(true)
  })

  it('have their own names as values where no mapping has others, as it has itself', async () => {
    const plain = { ...schemas, Pet: { ...Pet, discriminator: { propertyName: 'kind' } } }
    expect(await fits(ref('Pet'), plain, { kind: 'Dog', bark: true })).toBe(true)
    expect(await fits(ref('Pet'), plain, { kind: 'Pet' })).toBe(true)
    expect(await fits(ref('Pet'), plain, { kind: 'dog', bark: true })).toBe(false)
  })

  it('have the values of the field that are their names in other letters', async () => {
    const properties = { kind: { enum: ['dog', 'cat'] } }
    const lower = { ...schemas, Pet: { ...Pet, properties, discriminator: { propertyName: 'kind' } } }
    expect(await fits(ref('Pet'), lower, { kind: 'cat', meow: true })).toBe(true)
    expect(await fits(ref('Pet'), lower, { kind: 'dog', meow: true, bark: true })).toBe(false)
    expect((await imported(ref('Pet'), lower)).design.definitions.Pet.oneOf).toHaveLength(2)
  })

  it('may have variants themselves', async () => {
    const more = { ...schemas, Puppy: of('Dog', { weeks: { type: 'integer' } }) }
    expect(await fits(ref('Pet'), more, { kind: 'Puppy', bark: true, weeks: 3 })).toBe(true)
    expect(await fits(ref('Dog'), more, { kind: 'Puppy', bark: true, weeks: 3 })).toBe(true)
    expect(await fits(ref('Dog'), more, { kind: 'dog', bark: true })).toBe(true)
    expect(await fits(ref('Dog'), more, { kind: 'cat' })).toBe(false)
  })

  it('are definitions, and none are the names that the field cannot have', async () => {
    const Closed = { ...Pet, properties: { kind: { enum: ['dog', 'cat'] } } }
    const all = { ...schemas, Pet: Closed, Draft: of('Pet', { a: kind }), Alias: { allOf: [ref('Pet')] } }
    const { design, diagnostics } = await imported(ref('Alias'), all)
    expect(diagnostics).toEqual([])
    expect(Object.keys(design.definitions)).toEqual(['Alias', 'Cat', 'Dog', 'Pet', 'PetBase'])
  })

  it('read as they go, sent and returned', async () => {
    const Cat = of('Pet', { age: { type: 'integer', readOnly: true } })
    const { design } = await imported({ type: 'array', items: ref('Pet') }, { ...schemas, Cat })
    expect(Object.keys(design.definitions)).toContain('CatInput')
  })

  it('that inherit in a circle are reported, without an endless loop', async () => {
    const discriminator = { propertyName: 'kind', mapping: { dog: 'Dog' } }
    const circle = { Pet: { ...Pet, discriminator, allOf: [ref('Dog')] }, Dog: of('Pet', {}) }
    const { tools, diagnostics } = await imported(ref('Pet'), circle)
    expect(tools).toBe(1)
    expect(diagnostics).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('References form a cycle') },
    ])
  })
})

it.each<[string, object, object, string]>([
  ['that is nothing but itself', ref('A'), { A: ref('A') }, '`A` → `A`'],
  [
    'that is itself by way of another',
    ref('A'),
    { A: { allOf: [ref('B')] }, B: { anyOf: [ref('A')] } },
    '`A` → `B` → `A`',
  ],
  [
    'that is the whole document',
    { $ref: '#' },
    {},
    '`one` is not imported, because the schema of its arguments is not supported: the reference `#` points to a whole section of the document, not to one definition.',
  ],
  [
    'that is a part of all operations',
    { $ref: '#/paths' },
    {},
    '`one` is not imported, because the schema of its arguments is not supported: the reference `#/paths` points to a whole section of the document, not to one definition.',
  ],
  ['that is itself by a dynamic reference', { $dynamicAnchor: 'x', $dynamicRef: '#x' }, {}, 'References form a cycle'],
  [
    'at the end of very many references',
    ref('C0'),
    Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`C${i}`, i === 999 ? {} : ref(`C${i + 1}`)])),
    'is longer than 200',
  ],
])('a schema %s leaves out the operations that need it, and no others', async (_, schema, schemas, why) => {
  const { tools, diagnostics } = await imported(schema, schemas)
  expect(tools).toBe(1)
  expect(diagnostics).toMatchObject([{ severity: 'warning', message: expect.stringContaining(why) }])
})

describe('schemas that lead to each other in long rows', () => {
  const row = (length: number, of: (next: object) => object): object =>
    Object.fromEntries([
      ...Array.from({ length }, (_, index) => [`S${index}`, of(ref(`S${index + 1}`))]),
      [`S${length}`, { type: 'string' }],
    ])

  const fields = (length: number) => row(length, (next) => ({ type: 'object', properties: { next } }))

  it('are imported where each is a field of the one before', async () => {
    const { tools, design, diagnostics } = await imported(ref('S0'), fields(1_000))
    expect([tools, diagnostics]).toEqual([2, []])
    expect(design.definitions).toHaveProperty('S999')
  })

  it('lose their operation, with a finding, if they nest without end', async () => {
    const { tools, diagnostics } = await imported(ref('S0'), fields(10_000))
    expect(tools).toBe(1)
    expect(diagnostics).toMatchObject([
      {
        code: 'TG6003',
        message: expect.stringContaining('The definition `S1002` is nested within more than 1000 other definitions.'),
      },
    ])
  })

  it('lose their operation, with a finding, if each only refers to the next', async () => {
    const { tools, diagnostics } = await imported(
      ref('S0'),
      row(900, (next) => next),
    )
    expect(tools).toBe(1)
    expect(diagnostics).toMatchObject([
      {
        code: 'TG6003',
        message: expect.stringContaining('A chain of references between definitions is longer than 200'),
      },
    ])
  })
})
