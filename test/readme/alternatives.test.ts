import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ways } from './alternatives.js'
import { root } from './snippet-project.js'

/** What a model may read, in the words of the table: the first that fits. */
type Readings = readonly (readonly [words: string, reads: (text: string) => boolean])[]

const secret = 'connect ECONNREFUSED db.internal:5432'
const generic = (text: string): boolean => text.startsWith('An error occurred while running the tool.')
const order = { id: 'A-1', total: 41.5 }

/** The table's rows: what happens, and what it may lead to. */
const rows: readonly {
  readonly title: string
  readonly sent: object
  readonly execute: (sent: object) => Promise<object>
  readonly readings: Readings
}[] = [
  {
    title: 'A model misspells a field: text that the model reads',
    sent: { orderID: 'A-1' },
    execute: async () => order,
    readings: [
      ['the intended name, and a correct example', (text) => /did you mean "orderId".*example: \{"orderId"/.test(text)],
      ['the issues of the schema, with a stack trace', (text) => /expected string[\s\S]*\n {4}at /.test(text)],
      ['the issues of the schema', (text) => /expected string/.test(text)],
      ['that an error occurred', generic],
    ],
  },
  {
    title: 'A model adds an undeclared field',
    sent: { orderId: 'A-1', tenant: 'other' },
    execute: async (sent) => ({ ...order, id: Object.keys(sent).join() }),
    readings: [
      ['the model reads that the field is unknown', (text) => text.includes('tenant is unknown')],
      ['the field is silently dropped', (text) => text.includes('"id":"orderId"')],
    ],
  },
  {
    title: 'The service throws an error: text that the model reads',
    sent: { orderId: 'A-1' },
    execute: async () => {
      throw new Error(secret, { cause: Object.assign(new Error(secret), { code: 'ECONNREFUSED' }) })
    },
    readings: [
      ["the error's message", (text) => text.includes(secret)],
      ['the kind of error, and what to do', (text) => /^The service is not available.*\. \w/.test(text)],
      ['that an error occurred', generic],
    ],
  },
  {
    title: 'The service returns a value of the wrong type',
    sent: { orderId: 'A-1' },
    execute: async () => ({ id: 'A-1', total: '41.5' }),
    readings: [
      ['the call fails', (text) => text.startsWith('The tool returned an invalid result.')],
      ['the model reads the value', (text) => text.includes('"total":"41.5"')],
    ],
  },
]

describe('the table of the README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')

  it.each(rows)('is right: $title', async ({ title, sent, execute, readings }) => {
    const cells = Object.values(ways).map(async (told) => {
      const text = await told(sent, execute)
      return readings.find(([, reads]) => reads(text))?.[0] ?? `something else: ${text}`
    })
    expect(readme).toContain(`| ${[title, ...(await Promise.all(cells))].join(' | ')} |`)
  })

  it('names what was compared', () => {
    expect(readme).toContain(`| | ${Object.keys(ways).join(' | ')} |`)
    const [own, ...others] = Object.keys(ways).map((way) => /^`tool` of `(.+)` ([\d.]+)$/.exec(way))
    expect(own).toBeNull()
    for (const other of others) expect(versionOf(other?.[1] ?? '')).toMatch(new RegExp(`^${other?.[2]}\\.`))
  })
})

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(root, 'test/package.json'), 'utf8')).devDependencies[name]
}
