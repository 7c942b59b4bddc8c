import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toJsonSchema } from '../to-json-schema.js'

function rulesOf(schema: z.ZodType): unknown {
  return toJsonSchema(schema, { io: 'input', hint: 'Root' }).value?.root
}

function refinementsOf(schema: z.ZodType): unknown {
  return toJsonSchema(schema, { io: 'input', hint: 'Root' }).value?.refinements
}

describe('a format of Zod 4', () => {
  it.each([
    ['a date', z.iso.date(), { format: 'date' }],
    ['a UUID of any kind', z.guid(), { format: 'uuid' }],
    ['an IPv4 address', z.ipv4(), { format: 'ipv4' }],
    ['an IPv6 address', z.ipv6(), { format: 'ipv6' }],
  ])('is all that is said of %s', (_, schema, rules) => {
    expect(rulesOf(schema)).toEqual({ type: 'string', ...rules })
  })

  it.each([
    ['a moment', z.iso.datetime(), 'date-time', 'Z$'],
    ['a moment with an offset', z.iso.datetime({ offset: true }), 'date-time', ':.*[Z+-]'],
    ['a moment in seconds', z.iso.datetime({ precision: 0 }), 'date-time', ':..Z$'],
    ['a UUID', z.uuid(), 'uuid', '^.{8}-.{4}-[1-8].{3}-[89abAB]|^[0-]+$|^[f-]+$'],
    ['a UUID of one version', z.uuidv7(), 'uuid', '^.{8}-.{4}-7.{3}-[89abAB].{3}-.{12}$'],
    ['an address', z.email(), 'email', "^[\\w'+.-]*[\\w+-]@.+\\.[A-Za-z]{2,}$"],
  ])('has a short pattern beside it for %s', (_, schema, format, pattern) => {
    expect(rulesOf(schema)).toEqual({ type: 'string', format, pattern })
  })

  it.each([
    ['a time', z.iso.time()],
    ['a moment without a zone', z.iso.datetime({ local: true })],
    ['a moment in minutes', z.iso.datetime({ precision: -1 })],
    ['a duration', z.iso.duration()],
    ['a host name', z.hostname()],
    ['an address by a pattern of its own', z.email({ pattern: z.regexes.unicodeEmail })],
  ])('gives way to the pattern for %s', (_, schema) => {
    expect(rulesOf(schema)).toEqual({ type: 'string', pattern: expect.any(String) })
  })

  it.each([
    ['nanoid', z.nanoid()],
    ['ulid', z.ulid()],
    ['base64', z.base64()],
    ['cidrv4', z.cidrv4()],
    ['mine', z.stringFormat('mine', /^m/)],
  ])('that codecs do not assert keeps its pattern: %s', (format, schema) => {
    expect(rulesOf(schema)).toMatchObject({ format, pattern: expect.any(String) })
  })

  it('stays where another rule stands beside it, and operations are no formats', () => {
    const endsAtHour = z.iso.datetime().endsWith('00:00Z').describe('A full hour')
    expect(rulesOf(endsAtHour)).toEqual({
      type: 'string',
      description: 'A full hour',
      format: 'date-time',
      pattern: 'Z$',
      allOf: [{ pattern: '00:00Z$' }],
    })
    expect(rulesOf(z.string().startsWith('A-'))).toEqual({ type: 'string', pattern: '^A-' })
  })

  it('that the design gives as metadata stays beside it', () => {
    const { allOf, format } = Object(rulesOf(z.email().meta({ format: 'work-email' })))
    expect(format).toBe('work-email')
    expect(allOf).toEqual([{ format: 'email', pattern: expect.any(String) }])
  })

  it('that a pattern says only in part needs a check', () => {
    const partly = [z.url({ protocol: /^https$/ }), z.url({ hostname: /^a$/ }), z.httpUrl(), z.iban(), z.creditCard()]
    for (const schema of partly) expect(refinementsOf(schema)).toEqual([[]])
    for (const schema of [z.url(), z.email(), z.iso.time(), z.ulid()]) expect(refinementsOf(schema)).toEqual([])
  })
})
