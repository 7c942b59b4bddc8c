import { describe, expect, it } from 'vitest'
import type { Schema } from './json-schema.js'
import { fieldSchema, withoutFields } from './server-owned.js'

const session: Schema = {
  type: 'object',
  properties: { id: { type: 'string' }, session: { type: 'string' } },
  required: ['session', 'id'],
}
const other: Schema = { type: 'object', properties: { session: { type: 'integer' } }, required: ['session'] }
const owned = new Set(['session'])

describe('the schema of a field', () => {
  it('is found in objects, behind references, in parts and in every variant', () => {
    expect(fieldSchema(session, 'session', {})).toEqual({ type: 'string' })
    expect(fieldSchema({ $ref: '#/$defs/S' }, 'session', { S: session })).toEqual({ type: 'string' })
    expect(fieldSchema({ allOf: [{ type: 'object' }, session] }, 'session', {})).toEqual({ type: 'string' })
    expect(fieldSchema({ anyOf: [session, session] }, 'session', {})).toEqual({ type: 'string' })
    expect(fieldSchema({ oneOf: [session, other] }, 'session', {})).toEqual({
      anyOf: [{ type: 'string' }, { type: 'integer' }],
    })
  })

  it('is absent when one variant lacks it, when it lies deeper, or when it is inherited from no schema', () => {
    expect(fieldSchema({ anyOf: [session, { type: 'object' }] }, 'session', {})).toBeUndefined()
    expect(fieldSchema({ type: 'object', properties: { a: session } }, 'session', {})).toBeUndefined()
    expect(fieldSchema(session, 'constructor', {})).toBeUndefined()
    expect(fieldSchema({ $ref: '#/$defs/S' }, 'x', { S: { $ref: '#/$defs/S' } })).toBeUndefined()
  })
})

describe('cutting fields out', () => {
  it('leaves neither the field nor its being required', () => {
    expect(withoutFields(session, owned, {})).toEqual({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
    })
    expect(withoutFields(other, owned, {})).toEqual({ type: 'object', properties: {} })
  })

  it('reaches every variant and writes references out, leaving the definition alone', () => {
    const defs = { S: session }
    expect(withoutFields({ oneOf: [{ $ref: '#/$defs/S' }, other] }, owned, defs)).toEqual({
      oneOf: [
        { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        { type: 'object', properties: {} },
      ],
    })
    expect(defs.S).toBe(session)
  })

  it('leaves fields of the same name deeper inside', () => {
    const schema: Schema = { type: 'object', properties: { inner: session, session: {} } }
    expect(withoutFields(schema, owned, {})).toEqual({ type: 'object', properties: { inner: session } })
  })

  it('removes the field from dependencies', () => {
    const schema: Schema = { properties: {}, dependentRequired: { session: ['a'], b: ['session', 'c'] } }
    expect(withoutFields(schema, owned, {})).toEqual({ properties: {}, dependentRequired: { b: ['c'] } })
  })

  it('changes nothing when there is nothing to cut', () => {
    expect(withoutFields(session, new Set(), {})).toBe(session)
  })
})
