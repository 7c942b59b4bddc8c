import { describe, expect, it } from 'vitest'
import { Runtime } from '../agents/runtime.js'
import { toolSpec } from '../call/descriptors.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { JsonSchema } from '../types/json.js'
import type { ToolDescriptor } from '../types/tool.js'
import { toolIndex } from './tool-index.js'

interface Described {
  readonly description?: string
  readonly title?: string
  readonly arguments?: JsonSchema
  readonly synonyms?: readonly string[]
}

/** Registers tools by toolset and name, and returns a search that returns ids. */
function searchIn(
  toolsets: Readonly<Record<string, Readonly<Record<string, Described>>>>,
  descriptions: Readonly<Record<string, string>> = {},
): (query: string, limit?: number) => readonly string[] {
  const registrations = Object.entries(toolsets).map(([name, tools]) =>
    toolsetRegistration(
      {
        toolset: {
          name,
          namespace: 'default',
          description: descriptions[name] ?? '',
          tools: Object.entries(tools).map(([tool, described]) => descriptor(`${name}.${tool}`, described)),
        },
        provider: 'function',
      },
      { execute: async () => null },
    ),
  )
  const agent = new Runtime().registerAgent({ name: 'a', description: 'A' }, registrations)
  const index = toolIndex(agent)
  return (query, limit = 5) => index.search(query, { limit }).map(({ id }) => id)
}

function descriptor(id: `${string}.${string}`, described: Described): ToolDescriptor {
  const { description = '', title = '', arguments: schema = {}, synonyms } = described
  const payload = payloadCodec({ schema: {} })
  const result = resultCodec({ schema: {} })
  const meta = synonyms === undefined ? {} : { meta: { synonyms } }
  const spec = toolSpec({ id, title, description, examples: [], hash: '', ...meta }, { schema }, result)
  return { spec, payload, result, call: () => ({ tool: id, arguments: '{}' }) }
}

describe('a tool is found by', () => {
  const fields = {
    type: 'object',
    properties: {
      shipTo: {
        $ref: '#/$defs/Address',
        description: 'Destination of the parcel',
      },
      speed: { enum: ['overnight', 'economy', 3] },
    },
    $defs: { Address: { properties: { zipCode: { type: 'string' }, kind: { const: 'harbour' } } } },
  }
  const search = searchIn(
    {
      logistics: {
        getOrder: { description: 'Fetch one purchase.' },
        make_label: { description: 'Prints it.', title: 'Sticker', arguments: fields, synonyms: ['way bill'] },
        GitHubSync: {},
      },
      other: { refund: {}, deleteAll: {} },
    },
    { other: 'Everything about invoices.' },
  )

  it.each([
    ['its name', 'order', 'logistics.getOrder'],
    ['a name with separators', 'LABELS', 'logistics.make_label'],
    ['its title', 'sticker', 'logistics.make_label'],
    ['its description', 'purchases', 'logistics.getOrder'],
    ['a synonym of its meta', 'waybill or way bill', 'logistics.make_label'],
    ['the name of a field', 'zip', 'logistics.make_label'],
    ['the description of a field', 'parcel', 'logistics.make_label'],
    ['a value of an enum', 'Overnight!', 'logistics.make_label'],
    ['a constant', 'harbours', 'logistics.make_label'],
    ['the beginning of a word', 'purch', 'logistics.getOrder'],
    ['the name of a product in its name', 'GitHub', 'logistics.GitHubSync'],
    ['another word for the same action', 'erase', 'other.deleteAll'],
    ['the description of its toolset', 'invoice', 'other.refund'],
    ['the name of its toolset', 'others', 'other.refund'],
  ])('%s', (_, query, id) => expect(search(query)[0]).toBe(id))

  it('nothing else', () => {
    for (const query of ['', ' ', 'the of and', 'xylophone', '?!', '__proto__']) expect(search(query)).toEqual([])
  })
})

describe('a search', () => {
  const twins = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`twin${'abcdefghi'[at]}`, { description: 'Twin.' }]),
  )

  it('keeps the order of declaration for equal tools, and the limit', () => {
    const search = searchIn({ t: twins })
    expect(search('twin.', 3)).toEqual(['t.twina', 't.twinb', 't.twinc'])
    expect(search('twin', 50)).toHaveLength(9)
    expect(search('twin')).toEqual(search('twin'))
  })

  it('finds the best tool of each sentence', () => {
    const search = searchIn({
      t: { ...twins, weather: { description: 'Weather report.' }, calendar: { description: 'Twin appointments.' } },
    })
    expect(search('Show me a twin. What is the weather? Twin appointments', 3)).toEqual(
      expect.arrayContaining(['t.weather', 't.calendar']),
    )
  })

  it('answers very long queries', () => {
    const search = searchIn({ t: twins })
    expect(search(`${'word '.repeat(100_000)}`)).toEqual([])
    expect(search(`${'Twin. '.repeat(10_000)}`)).toHaveLength(5)
  })

  it('rejects anything but a registered agent or toolset', () => {
    for (const value of [undefined, {}, []])
      expect(() => toolIndex(value as never)).toThrow('toolIndex: pass a registered agent or toolset')
  })
})
