import { describe, expect, it } from 'vitest'
import { contractChanges } from '../../packages/codegen/src/contracts/changes.js'
import type { Schema } from '../../packages/codegen/src/schema/json-schema.js'
import { formats } from '../../packages/runtime/src/schema/formats.js'
import { changesOf, contractsOf, nowhere, type Sketch } from './sketch.js'

const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})
const text: Schema = { type: 'string' }

/** A field of each format that codecs assert. */
const everyFormat = Object.fromEntries([...formats.keys()].map((format) => [format, { ...text, format }]))

/** What is told, with the value that shows it; `may` where there is none. */
function told(was: Sketch, is: Sketch): readonly unknown[] {
  return changesOf(was, is).map(({ rule, certain, witness }) => [rule, certain ? witness : 'may'])
}

it('a metadata field that the runtime creates is required of no caller', () => {
  const owned = (from: string): Sketch => ({ serverOwned: { key: { from, schema: text } } })
  expect(changesOf({}, owned('idempotencyKey'))).toEqual([])
  expect(changesOf(owned('toolCallId'), {})).toEqual([])
  expect(changesOf({}, owned('runId')).map(({ rule }) => rule)).toEqual(['server-owned-source-added'])
})

describe('what is certain has a value that shows it', () => {
  it.each<[string, Sketch, Sketch, readonly unknown[]]>([
    [
      'of a payload that is taken no more',
      { payload: object({ id: text }) },
      { payload: object({ id: { ...text, maxLength: 3 } }) },
      ['payload-length-narrowed', { id: 'sample' }],
    ],
    [
      'beside fields that have a pattern',
      { payload: object({ id: { ...text, pattern: '^ord_[a-z]{2,8}$' } }, ['id']) },
      { payload: object({ id: { ...text, pattern: '^ord_[a-z]{2,8}$' }, note: text }, ['id', 'note']) },
      ['payload-field-required', { id: 'ord_aa' }],
    ],
    [
      'beside fields of every format',
      { result: object({ id: text, ...everyFormat }, Object.keys(everyFormat)) },
      { result: object({ id: { ...text, maxLength: 3 }, ...everyFormat }, Object.keys(everyFormat)) },
      ['result-length-narrowed', expect.objectContaining({ id: 'sample' })],
    ],
    [
      'of an error that loses a field',
      { errors: { 404: object({ reason: text, at: text }, ['reason']) } },
      { errors: { 404: object({ reason: text }, ['reason']) } },
      ['result-field-removed', { reason: 'sample', at: 'sample' }],
    ],
    [
      'of a prompt that requires an argument',
      { prompts: { review: { arguments: object({ language: text }, ['language']) } } },
      { prompts: { review: { arguments: object({ language: text, focus: text }, ['language', 'focus']) } } },
      ['prompt-argument-required', { language: 'sample' }],
    ],
    [
      'of a variable of a resource template that is a list no more',
      {
        resourceTemplates: {
          file: {
            uriTemplate: 'file:///{path*}',
            variables: object({ path: { type: ['string', 'array'], items: text } }),
          },
        },
      },
      { resourceTemplates: { file: { uriTemplate: 'file:///{path*}', variables: object({ path: text }) } } },
      ['resource-template-variable-narrowed', { path: [] }],
    ],
    [
      'of another pattern',
      { payload: object({ id: { ...text, pattern: '^[A-Z]{2,3}$' } }) },
      { payload: object({ id: { ...text, pattern: '^[A-Z]{3}$' } }) },
      ['payload-pattern-narrowed', { id: 'AA' }],
    ],
    [
      'of a payload that is taken from now on',
      { payload: object({ id: { ...text, maxLength: 3 } }) },
      { payload: object({ id: text }) },
      ['payload-length-widened', { id: 'sample' }],
    ],
    [
      'of a result that never was',
      { result: object({ state: { enum: ['open'] } }) },
      { result: object({ state: { enum: ['open', 'lost'] } }) },
      ['result-enum-widened', { state: 'lost' }],
    ],
    [
      'of a result without what it always had',
      { result: object({ total: text }, ['total']) },
      { result: object({ total: text }) },
      ['result-field-optional', {}],
    ],
    [
      'of a result whose field does not reach readers any more',
      { result: object({ id: text, total: text }) },
      { result: object({ id: text }) },
      ['result-field-removed', { total: 'sample' }],
    ],
    [
      'of an update',
      { updates: object({ done: { type: 'integer' } }) },
      { updates: object({ done: { type: 'number' } }) },
      ['result-type-widened', { done: 0.5 }],
    ],
    [
      'of an update that is null',
      { updates: text },
      { updates: { type: ['string', 'null'] } },
      ['result-type-widened', null],
    ],
    [
      'of a field that the runtime fills',
      { serverOwned: { user: { from: 'userId', schema: text } } },
      { serverOwned: { user: { from: 'userId', schema: { ...text, maxLength: 3 } } } },
      ['server-owned-narrowed', 'sample'],
    ],
    [
      'of a confirmation that fewer arguments need',
      { payload: object({ n: { type: 'integer' } }, ['n']), about: { confirmation: { prompt: '?' } } },
      {
        payload: object({ n: { type: 'integer' } }, ['n']),
        about: { confirmation: { prompt: '?', when: object({ n: { type: 'integer', minimum: 10 } }, ['n']) } },
      },
      ['tool-confirmation-narrowed', { n: 0 }],
    ],
  ])('%s', (_, was, is, expected) => {
    expect(told(was, is)).toEqual([expected])
  })
})

describe('it is not certain', () => {
  const one: Schema = { ...text, pattern: '^a$' }
  const either: Schema = { ...text, pattern: '^a|b$' }

  it('defect 15: a change without a value that shows it is worded as uncertain', () => {
    const [change] = changesOf({ payload: object({ n: one }) }, { payload: object({ n: either }) })
    expect(change).toMatchObject({ rule: 'payload-pattern-narrowed', certain: false })
    expect(change?.message).toMatch(/ has a changed pattern and may reject values that were valid before, /)
    expect(change?.message).toMatch(/\. The change is uncertain: no value was found that proves it\.$/)
    expect(change).not.toHaveProperty('witness')
    const [answer] = changesOf({ result: object({ n: either }) }, { result: object({ n: one }) })
    expect(answer?.message).toMatch(/ and may allow additional values, /)
  })

  it('defect 15: a change with a value that shows it is worded as certain', () => {
    const [change] = changesOf({ payload: object({ n: either }) }, { payload: object({ n: one }) })
    expect(change).toMatchObject({ rule: 'payload-pattern-narrowed', certain: true })
    expect(change?.message).toMatch(/ has a changed pattern and rejects values that were valid before, /)
    expect(change?.message).not.toMatch(/uncertain/)
  })

  it('because something else breaks in the same tool', () => {
    const was = { payload: object({ n: one, id: text }, ['n', 'id']) }
    const is = { payload: object({ n: either, id: { ...text, maxLength: 3 }, more: text }, ['n', 'id', 'more']) }
    expect(told(was, is)).toEqual([
      ['payload-field-required', { n: 'a', id: 'sample' }],
      ['payload-pattern-narrowed', 'may'],
      ['payload-length-narrowed', { n: 'a', id: 'sample' }],
    ])
  })

  it('where there is no value of before at all', () => {
    const impossible: Schema = {
      allOf: [
        { ...text, pattern: '^a' },
        { ...text, pattern: '^b' },
      ],
    }
    expect(told({ payload: object({ id: impossible }) }, { payload: object({}) })).toEqual([
      ['payload-field-removed', 'may'],
    ])
  })

  it('but it is where a value would block a backtracking engine', () => {
    const slow = object({ id: { ...text, pattern: '^(a+)+$', minLength: 50 } })
    const slower = object({ id: { ...text, pattern: '^(a+)+b$', minLength: 50 } })
    expect(told({ payload: slow }, { payload: slower })[0]).toEqual([
      'payload-pattern-narrowed',
      { id: 'a'.repeat(50) },
    ])
  })

  it('where a lock has a schema that no codec reads', () => {
    const was = { payload: object({ id: { type: 'string', enum: [] }, state: { ...text, maxLength: 3 } }) }
    expect(told(was, { payload: object({ state: { ...text, maxLength: 2 } }) })).toEqual([
      ['payload-length-narrowed', 'may'],
    ])
  })

  it('where nobody judges values', () => {
    const was = contractsOf({ payload: object({ id: text, at: { ...text, format: 'date-time', 'x-js': 'Date' } }) })
    const is = contractsOf({ payload: object({ id: { ...text, maxLength: 3 }, at: { ...text, format: 'date-time' } }) })
    const changes = contractChanges(was, is, nowhere, undefined).map(({ rule, certain }) => [rule, certain])
    // Which type a text has in TypeScript needs no value.
    expect(changes).toEqual([
      ['payload-length-narrowed', false],
      ['payload-js-type-changed', true],
    ])
  })
})

it('leaves out a value that is long', () => {
  const [change] = changesOf(
    { payload: object({ id: { ...text, maxLength: 9000 } }) },
    { payload: object({ id: { ...text, maxLength: 8000 } }) },
  )
  expect(change?.certain).toBe(true)
  expect(change).not.toHaveProperty('witness')
})
