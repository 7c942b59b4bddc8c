import { expect, it } from 'vitest'
import { writeImpliedTypes } from './plain.js'

const undeclared = { declared: false }

it('reads a schema that lists fields as an object, one that describes items as an array, and says so', () => {
  const { value, diagnostics } = writeImpliedTypes({ properties: { a: { items: { enum: [1] } } } }, undeclared)
  expect(value).toEqual({ type: 'object', properties: { a: { type: 'array', items: { enum: [1] } } } })
  expect(diagnostics).toMatchObject([
    { code: 'TG3036', severity: 'note', message: expect.stringContaining("`type: 'object'`"), trail: [] },
    { code: 'TG3036', message: expect.stringContaining("`type: 'array'`"), trail: ['properties', 'a'] },
  ])
})

it('leaves alone what only asks about a value, and parts of what has a type', () => {
  const part = { properties: { kind: { const: 'a' } } }
  const schema = { type: 'object', if: part, not: part, anyOf: [part], allOf: [part], dependentSchemas: { kind: part } }
  expect(writeImpliedTypes(schema, undeclared)).toEqual({ value: schema, diagnostics: [] })
  expect(writeImpliedTypes({ anyOf: [part] }, undeclared).value).toEqual({ anyOf: [{ type: 'object', ...part }] })
})

it('keeps to the letter where `$schema` names a dialect: what is no object is allowed', () => {
  const { value, diagnostics } = writeImpliedTypes({ properties: {} }, { declared: true })
  expect(value).toEqual({ type: ['string', 'number', 'boolean', 'null', 'array', 'object'], properties: {} })
  expect(diagnostics).toEqual([])
})

it('says of a part that stays open what that costs, but nothing of the whole', () => {
  const { diagnostics } = writeImpliedTypes(
    { properties: { a: { properties: {} }, b: { items: {} } } },
    { declared: true },
  )
  expect(diagnostics).toMatchObject([
    { code: 'TG3036', severity: 'note', next: "Write `type: 'object'`.", trail: ['properties', 'a'] },
    { code: 'TG3036', severity: 'note', next: "Write `type: 'array'`.", trail: ['properties', 'b'] },
  ])
  expect(diagnostics[0]?.message).toContain('strict mode')
})
