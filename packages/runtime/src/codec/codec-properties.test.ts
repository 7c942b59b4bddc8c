// biome-ignore-all lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isToolgenError } from '../is-toolgen-error.js'
import type { JsonSchema } from '../types/json.js'
import { payloadCodec, resultCodec } from './codecs.js'

const name = fc.constantFrom('a', 'b', 'a_b', '__proto__', 'constructor', '0', 'é', 'a/b~')

/** Schemas of moderate size, some of them never satisfiable. */
const { schema } = fc.letrec<{ schema: JsonSchema; leaf: JsonSchema }>((tie) => ({
  leaf: fc.oneof(
    fc.constant<JsonSchema>({}),
    fc.boolean(),
    fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object').map((type) => ({ type })),
    fc.record({ type: fc.constant('string'), minLength: fc.nat(3), pattern: fc.constantFrom('^a', '.') }),
    fc.record({ type: fc.constant('number'), minimum: fc.integer({ min: -2, max: 2 }), multipleOf: fc.constant(0.5) }),
    fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }) }),
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ type: fc.constant('array'), prefixItems: fc.array(tie('schema'), { maxLength: 2 }) }),
    fc.array(fc.tuple(name, tie('schema'), fc.boolean()), { maxLength: 4 }).map(
      (fields): JsonSchema => ({
        type: 'object',
        properties: Object.fromEntries(fields.map(([field, part]) => [field, part])),
        required: [...new Set(fields.filter(([, , required]) => required).map(([field]) => field))],
      }),
    ),
    fc.record({ additionalProperties: tie('schema') }),
    fc.record({
      anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      properties: fc.dictionary(name, tie('leaf'), { maxKeys: 2 }),
    }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
  ),
}))

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>('a', 'ab', 0, 1, 1.5, true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value,
)

describe('codecs', () => {
  it('never throw while decoding, whatever the value, and never change it', () => {
    fc.assert(
      fc.property(
        schema,
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withSparseArray: true,
          withNullPrototype: true,
        }),
        (declared, value) => {
          for (const unknown of ['reject', 'strip', 'keep'] as const) {
            const before = fc.stringify(value)
            const outcome = payloadCodec({ schema: declared, unknown }).decodeValue(value)
            expect(outcome.ok || outcome.issues.length > 0).toBe(true)
            expect(fc.stringify(value)).toBe(before)
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('never throw while decoding, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.json().chain((text) => fc.nat(text.length).map((cut) => text.slice(0, cut))),
        ),
        (text) => {
          const outcome = payloadCodec({ schema: {} }).decode(text)
          let isJson = true
          try {
            JSON.parse(text)
          } catch {
            isJson = false
          }
          expect(outcome.ok).toBe(isJson)
          if (!outcome.ok)
            expect(outcome.issues).toMatchObject([{ constraint: 'invalid_json', position: expect.any(Number) }])
        },
      ),
      { numRuns: 500 },
    )
  })

  it('throw nothing but CodecError while encoding', () => {
    fc.assert(
      fc.property(schema, fc.anything({ withBigInt: true, withDate: true, withMap: true }), (declared, value) => {
        try {
          JSON.parse(resultCodec<unknown, unknown>({ schema: declared }).encode(value))
        } catch (error) {
          expect(isToolgenError(error, 'CodecError')).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('decode text and value alike, and decode again what they decoded', () => {
    fc.assert(
      fc.property(schema, json, (declared, value) => {
        for (const unknown of ['reject', 'strip', 'keep'] as const) {
          const codec = payloadCodec<unknown, unknown>({ schema: declared, unknown })
          const fromValue = codec.decodeValue(value)
          const fromText = codec.decode(JSON.stringify(value))
          expect(JSON.stringify(fromText)).toBe(JSON.stringify(fromValue))
          if (!fromText.ok || unknown === 'strip') continue
          const text = codec.encode(fromText.value)
          expect(JSON.stringify(codec.decode(text))).toBe(JSON.stringify(fromText))
          expect(codec.encode(JSON.parse(text))).toBe(text)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('accept with drop what they accept with keep, and with reject nothing else', () => {
    fc.assert(
      fc.property(schema, json, (declared, value) => {
        const [reject, drop, keep] = (['reject', 'strip', 'keep'] as const).map((unknown) =>
          payloadCodec<unknown, unknown>({ schema: declared, unknown }).decodeValue(value),
        )
        expect(drop?.ok).toBe(keep?.ok)
        if (reject?.ok === true) expect(drop).toEqual(reject)
      }),
      { numRuns: 400 },
    )
  })
})
