import { describe, expect, it } from 'vitest'
import { formats } from './formats.js'

const cases: readonly (readonly [format: string, valid: readonly string[], invalid: readonly string[]])[] = [
  [
    'date-time',
    ['1963-06-19T08:30:06.283185Z', '1990-12-31T23:59:60Z', '1990-12-31T15:59:60.1-08:00', '2024-02-29t00:00:00z'],
    [
      '1998-12-31T23:58:60Z',
      '2023-02-29T00:00:00Z',
      '2020-01-01 00:00:00Z',
      '2020-01-01T00:00:00',
      '1963-06-1৪T00:00:00Z',
    ],
  ],
  [
    'date',
    ['2000-02-29', '1999-12-31'],
    ['1900-02-29', '2020-13-01', '2020-1-01', '2020-01-00', '20200101', ' 2020-01-01'],
  ],
  ['time', ['08:30:06Z', '23:59:60+00:00', '00:00:00.5-12:30'], ['24:00:00Z', '08:30:06', '08:60:00Z', '01:59:60Z']],
  ['duration', ['P4DT12H30M5S', 'P2W', 'PT0S', 'P1Y2M'], ['P', 'PT', 'P1Y1D', 'PT1D', 'P1W1D', 'PT0.5S', 'p1d', '']],
  [
    'email',
    ['joe.bloggs@example.com', '"joe bloggs"@example.com', 'a@[127.0.0.1]', 'a@[IPv6:::1]'],
    ['2962', '.a@b.c', 'a..b@c.d', 'a@', '@b', 'a b@c.d', 'a@b c'],
  ],
  [
    'uri',
    ['https://a:b@example.com:8080/x?q=%20#f', 'urn:oasis:names', 'mailto:a@b.c', 'ldap://[2001:db8::7]/c', 'a:'],
    ['//a/b', '/abc', 'http:// x', 'http://a/<>', 'http://a/%zz', '1a://b', '', 'http://a:b@[::1/'],
  ],
  [
    'uri-reference',
    ['', '/abc', '#f', '//a/b', 'a/b:c', '?q'],
    ['\\\\WINDOWS', '#frag\\ment', 'a b', ':a', '1a:b', 'ü'],
  ],
  [
    'uuid',
    ['2EB8AA08-aa98-11ea-b4aa-73b441d16380'],
    ['2eb8aa08aa9811eab4aa73b441d16380', '2eb8aa08-aa98-11ea-b4aa-73b441d1638g', ''],
  ],
  ['ipv4', ['192.168.0.1', '0.0.0.0'], ['256.0.0.1', '127.0.0', '127.0.0.01', '1.2.3.4.5', '1.2.3.4 ']],
  [
    'ipv6',
    ['::1', '::', '1:2:3:4:5:6:7:8', '::ffff:192.168.0.1', '1::8'],
    ['12345::', '1:2:3:4:5:6:7', '1::2::3', ':2:3:4:5:6:7:8', '::1%eth0', '1:2:3:4:5:6:7::8', '1.2.3.4::', ''],
  ],
  [
    'hostname',
    ['www.example.com', 'xn--4gbwdl.xn--wgbh1c', 'a', '1a.2b'],
    ['-a', 'a-', 'a_b', 'a..b', '', 'a.', `${'a'.repeat(64)}.b`, 'ab--c'],
  ],
  ['regex', ['^(a|b)+$', '\\p{L}'], ['^(abc]', '\\a', '(?<']],
]

describe('asserted formats', () => {
  it.each(cases)('%s accepts what is valid and nothing else', (format, valid, invalid) => {
    const test = formats.get(format)
    expect(valid.filter((text) => test?.(text) !== true)).toEqual([])
    expect(invalid.filter((text) => test?.(text) !== false)).toEqual([])
  })

  it('are the twelve that are documented', () => {
    expect([...formats.keys()].sort()).toEqual(cases.map(([format]) => format).sort())
  })
})

describe('hostile texts', () => {
  const seeds = [
    '0',
    'a',
    'a.',
    'a-',
    '.',
    ':',
    '::',
    '1:',
    '%',
    '%2',
    '/',
    '@',
    '"',
    '\\',
    '[',
    '(',
    '(a',
    '(?:',
    '-',
    'P1',
    '1D',
    'T',
    ' ',
    '\u{1f4a9}',
    'a@',
    '//',
    '#',
    'a:',
  ]
  const ends = ['', '!', '\n', '@b', ']']

  it.each([...formats.keys()])('take %s CPU time in proportion to their length', (format) => {
    const test = formats.get(format)
    const timeFor = (length: number): number => {
      const texts = seeds.flatMap((seed) => {
        const body = seed.repeat(length / seed.length)
        return ends.flatMap((end) => [flat(body + end), flat(`https://${body}${end}`)])
      })
      const started = process.cpuUsage()
      for (const text of texts) test?.(text)
      return process.cpuUsage(started).user / 1_000
    }
    timeFor(1_000)
    const short = Math.max(timeFor(10_000), 5)
    // Ten times the length: quadratic time would take a hundred times as long.
    expect(timeFor(100_000)).toBeLessThan(short * 40)
  })
})

/** The engine joins parts of a text when it is first read: not to be measured. */
function flat(text: string): string {
  text.charCodeAt(text.length - 1)
  return text
}
