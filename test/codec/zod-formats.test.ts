import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import { exampleOf } from '../../packages/runtime/src/schema/examples.js'

interface Case {
  readonly schema: z.ZodType<string>
  /** Texts that have the format, and some that nearly do. */
  readonly seeds: readonly string[]
  readonly letters: string
}

const moments = [
  '2024-02-29T23:59:59Z',
  '2023-02-29T23:59:60Z',
  '2000-12-31T00:00:00.000Z',
  '2020-06-30t23:59:59.5z',
  '2020-06-30T23:59Z',
  '1900-02-28T12:30:00+02:00',
  '0000-01-01T12:30:00.123-23:59',
]
const moment = { seeds: moments, letters: '0123456789TtZz:.+- ' } as const
const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-ffff-ffff-ffff-ffffffffffff',
  '123e4567-e89b-12d3-a456-426614174000',
  '123E4567-E89B-42D3-B456-426614174000',
  '01890a5d-ac96-774b-bcce-b302099a8057',
]
const uuid = { seeds: uuids, letters: '0123456789abcdefABCDEFg-' } as const
const ipv6 = [
  '::',
  '::1',
  '1::',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7::',
  '::ffff:192.0.2.1',
  '2001:db8::1',
  'fe80::a:b%1',
]
const tokens = [
  'V1StGXR8_Z5jdHi6B-myT',
  'cjld2cjxh0000qzrmn831i7rn',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '+14155552671',
  'aGk=',
]
const token = { seeds: tokens, letters: '09azAZ_-+/=' } as const

const cases: Readonly<Record<string, Case>> = {
  'iso.datetime': { ...moment, schema: z.iso.datetime() },
  'iso.datetime with an offset': { ...moment, schema: z.iso.datetime({ offset: true }) },
  'iso.datetime in local time': { ...moment, schema: z.iso.datetime({ local: true }) },
  'iso.datetime with both': { ...moment, schema: z.iso.datetime({ local: true, offset: true }) },
  'iso.datetime in minutes': { ...moment, schema: z.iso.datetime({ precision: -1 }) },
  'iso.datetime in seconds': { ...moment, schema: z.iso.datetime({ precision: 0 }) },
  'iso.datetime in seconds with an offset': { ...moment, schema: z.iso.datetime({ precision: 0, offset: true }) },
  'iso.datetime in milliseconds': { ...moment, schema: z.iso.datetime({ precision: 3 }) },
  'iso.datetime in milliseconds with an offset': { ...moment, schema: z.iso.datetime({ precision: 3, offset: true }) },
  'iso.datetime as a method': { ...moment, schema: z.string().datetime() },
  'iso.datetime with another rule': { ...moment, schema: z.iso.datetime().endsWith('0Z').describe('On ten seconds') },
  'iso.date': { schema: z.iso.date(), seeds: moments.map((text) => text.slice(0, 10)), letters: '0123456789-' },
  'iso.time': { schema: z.iso.time(), seeds: moments.map((text) => text.slice(11)), letters: '0123456789:.Z' },
  'iso.duration': {
    schema: z.iso.duration(),
    seeds: ['P1D', 'PT1.5S', 'P1Y1D', 'P2W', 'P1Y2M3DT4H5M6S', 'PT1H1S', 'P', 'P1YT'],
    letters: '019PTYMWDHS.,-',
  },
  uuid: { ...uuid, schema: z.uuid() },
  uuidv4: { ...uuid, schema: z.uuidv4() },
  uuidv7: { ...uuid, schema: z.uuidv7() },
  guid: { ...uuid, schema: z.guid() },
  ipv4: { schema: z.ipv4(), seeds: ['0.0.0.0', '255.255.255.255', '192.0.2.1', '01.2.3.4'], letters: '0123456789.' },
  ipv6: { schema: z.ipv6(), seeds: ipv6, letters: '0129af:.%' },
  hostname: {
    schema: z.hostname(),
    seeds: ['example.com', 'example.com.', 'a--b.c', 'ab--c.d', 'xn--4ca.at', `${'a'.repeat(63)}.b`, 'localhost'],
    letters: 'aZ0-._',
  },
  'email with a pattern of its own': {
    schema: z.email({ pattern: z.regexes.unicodeEmail }),
    seeds: ['ü@bücher.example', 'a..b@c', '"a b"@c.de', '🛠@x'],
    letters: 'aü@". 🛠',
  },
  nanoid: { ...token, schema: z.nanoid() },
  cuid: { ...token, schema: z.cuid() },
  ulid: { ...token, schema: z.ulid() },
  base64: { ...token, schema: z.base64() },
  base64url: { ...token, schema: z.base64url() },
  e164: { ...token, schema: z.e164() },
  cidrv4: { schema: z.cidrv4(), seeds: ['192.0.2.0/24', '0.0.0.0/0', '1.2.3.4/33'], letters: '0123456789./' },
  'a beginning': { schema: z.string().startsWith('a.b'), seeds: ['a.b', 'a.b\n', 'acb', 'xa.b'], letters: 'ab.\n' },
  'an end': { schema: z.string().endsWith('a.b'), seeds: ['a.b', '\na.b', 'acb', 'a.bx'], letters: 'ab.\n' },
  'letters in one case': { schema: z.string().lowercase(), seeds: ['abc', 'aBc', 'É'], letters: 'aBé' },
}

/** Texts that are a few changes away from one of the seeds. */
function near({ seeds, letters }: Pick<Case, 'seeds' | 'letters'>): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.nat(80),
    removed: fc.constantFrom(0, 1, 1, 2),
    added: fc.string({ unit: fc.constantFrom(...letters), maxLength: 2 }),
  })
  return fc.tuple(fc.constantFrom(...seeds), fc.array(change, { maxLength: 3 })).map(([seed, changes]) =>
    changes.reduce((text, { at, removed, added }) => {
      const start = at % (text.length + 1)
      return text.slice(0, start) + added + text.slice(start + removed)
    }, seed),
  )
}

/**
 * The only two things that a codec takes of a moment and Zod does not, since no short pattern refuses them: a small
 * `t`, and a leap second, which comes at the end of a day of UTC alone.
 */
function isLaterMoment(text: string, schema: z.ZodType<string>): boolean {
  const plain = text.replace(/^(.{10})t/, '$1T')
  const time = /T(\d\d):(\d\d):60(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/.exec(plain)
  if (time === null) return schema.safeParse(plain).success
  const [, hour, minute, sign, zoneHour = 0, zoneMinute = 0] = time
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1)
  const ofDay = (Number(hour) * 60 + Number(minute) - offset + 2 * 1440) % 1440
  return ofDay === 1439 && schema.safeParse(plain.replace(':60', ':50')).success
}

/** The generated codec of a schema, which converts the schema once. */
function codecOf(schema: z.ZodType<string>): { readonly takes: (text: string) => boolean; readonly isMoment: boolean } {
  const { value } = toJsonSchema(schema, { io: 'input', hint: 'Root' })
  if (value === undefined || value.root === false) throw new Error('The schema was not converted.')
  const codec = payloadCodec({ schema: { type: 'object', properties: { text: value.root }, required: ['text'] } })
  const isMoment: boolean = Object(value.root).format?.startsWith('date-time') ?? false
  return { takes: (text) => codec.decodeValue({ text }).ok, isMoment }
}

describe('of texts near a format of Zod 4, a codec takes those that Zod takes', () => {
  it.each(Object.entries(cases))('%s', (_, { schema, ...texts }) => {
    const { takes, isMoment } = codecOf(schema)
    const isTaken = (text: string): boolean =>
      schema.safeParse(text).success || (isMoment && isLaterMoment(text, schema))
    for (const text of texts.seeds) expect([text, takes(text)]).toEqual([text, isTaken(text)])
    fc.assert(
      // Without `expect`, which takes longer than both.
      fc.property(near(texts), (text) => takes(text) === isTaken(text)),
      { numRuns: 1500 },
    )
  })

  it.each([
    ['a moment', z.iso.datetime()],
    ['a UUID', z.uuid()],
    ['a UUID of one version', z.uuidv7()],
    ['an address', z.email()],
    ['a time', z.iso.time()],
  ])('and can make an example of %s', (_, schema) => {
    const root = toJsonSchema(schema, { io: 'input', hint: 'Root' }).value?.root ?? true
    const example = exampleOf(root)
    expect(schema.safeParse(example)).toEqual({ success: true, data: example })
  })

  it('email, except for what no mail can be sent to', () => {
    const schema = z.email()
    const { takes } = codecOf(schema)
    const texts = {
      seeds: ["o'brien+x@mail.example.com", 'a.b@c-d.ef', '"q"@x.yz', 'a@[192.0.2.1]'],
      letters: "aZ9._+'-@",
    }
    const isImpossible = (text: string) => /[@.][^.]*(?:-\.|-$)|[@.](?!xn)..--/.test(text)
    fc.assert(
      fc.property(near(texts), (text) => {
        if (schema.safeParse(text).success) expect(takes(text)).toBe(!isImpossible(text.slice(text.lastIndexOf('@'))))
        else expect(takes(text)).toBe(false)
      }),
      { numRuns: 3000 },
    )
  })
})
