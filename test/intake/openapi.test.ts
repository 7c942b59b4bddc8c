import { describe, expect, it } from 'vitest'
import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'

/** What a codec of a schema object says about values, and what was reported on the way. */
function through(schema: unknown, values: readonly unknown[]) {
  const { value, diagnostics } = toJsonSchema(schema, { io: 'input', hint: 'Root' })
  if (value === undefined || typeof value.root === 'boolean') throw new Error(JSON.stringify(diagnostics))
  const codec = payloadCodec<unknown, unknown>({
    schema: { ...value.root, $defs: Object.fromEntries(value.defs) },
    unknown: 'keep',
  })
  return {
    root: value.root,
    codes: diagnostics.map(({ code }) => code),
    verdicts: values.map((given) => codec.decodeValue(given).ok),
  }
}

describe('schema objects of OpenAPI', () => {
  it('take null where they are nullable, also by reference', () => {
    const schema = {
      type: 'object',
      properties: {
        pet: { $ref: '#/components/schemas/Pet', nullable: true },
        kind: { type: 'string', enum: ['cat', 'dog'], nullable: true },
        age: { type: 'integer' },
      },
      components: {
        schemas: { Pet: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
      },
    }
    const { codes, verdicts } = through(schema, [
      { pet: null, kind: null },
      { pet: { name: 'a' }, kind: 'cat' },
      { pet: {} },
      { kind: 'cow' },
      { age: null },
    ])
    expect(codes).toEqual(['TG3035', 'TG3035'])
    expect(verdicts).toEqual([true, true, false, false, false])
  })

  it('can be referred to within what is nullable', () => {
    const inner = { allOf: [{ properties: { id: { type: 'integer' } } }] }
    const { verdicts } = through(
      {
        type: 'object',
        properties: { a: { ...inner, nullable: true }, b: { $ref: '#/properties/a/allOf/0/properties/id' } },
      },
      [{ a: null, b: 1 }, { a: { id: 'x' } }, { b: 'x' }],
    )
    expect(verdicts).toEqual([true, false, false])
  })

  it('have exclusive bounds said by a flag in 3.0, by a number in 3.1', () => {
    const flag = through({ type: 'number', minimum: 0, exclusiveMinimum: true }, [0, 1])
    const number = through({ type: 'number', exclusiveMinimum: 0 }, [0, 1])
    expect([flag.root, flag.verdicts, flag.codes]).toEqual([number.root, [false, true], []])
  })

  it.each(['int32', 'int64', 'float', 'double', 'byte', 'binary', 'password'])(
    'keep the format `%s` for readers, and it refuses nothing',
    (format) => {
      const schema = { type: ['string', 'number'], format, readOnly: true, writeOnly: false, deprecated: true }
      expect(through(schema, ['x', 2.5])).toEqual({ root: schema, codes: [], verdicts: [true, true] })
    },
  )

  it('lose without a word what is for other tools', () => {
    const schema = {
      type: 'object',
      xml: { name: 'a' },
      externalDocs: { url: 'https://example.com' },
      example: { a: 1 },
    }
    expect(through({ ...schema, discriminator: { propertyName: 'kind' } }, [])).toEqual({
      root: { type: 'object', examples: [{ a: 1 }] },
      codes: [],
      verdicts: [],
    })
  })

  it('of 3.1 may name their dialect, in which `nullable` has no effect, and that is said', () => {
    const $schema = 'https://spec.openapis.org/oas/3.1/dialect/base'
    const { codes, verdicts } = through({ $schema, type: 'string', nullable: true }, ['a', null])
    expect([codes, verdicts]).toEqual([['TG3015'], [true, false]])
  })
})
