import MiniSearch from 'minisearch'
import { describe, expect, it } from 'vitest'
import { Runtime } from '../agents/runtime.js'
import { toolSpec } from '../call/descriptors.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { JsonSchema } from '../types/json.js'
import type { ToolDescriptor } from '../types/tool.js'
import { toolIndex } from './tool-index.js'
import { toolSearchIndex } from './tool-terms.js'

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

describe('the stored terms of a tool', () => {
  const stored = (described: Described): unknown => toolSearchIndex([descriptor('shop.findItems', described).spec])

  // If this test fails because the rules for terms have changed: increase `version` in tool-terms.ts.
  it('are sorted, with their counts, by part', () => {
    const properties = { itemId: { description: 'Ids of the items' }, color: { enum: ['dark red', 'red'] } }
    const described = {
      title: 'Find items',
      description: 'Finds all items of a GitHub shop: stories, boxes, glass.',
      arguments: { properties },
      synonyms: ['look up'],
    }
    expect(stored(described)).toEqual({
      version: 1,
      tools: {
        [Object.keys(Object(stored(described)).tools)[0] ?? '']: [
          'find finditem item',
          'look up',
          'find item',
          'all boxe find git github glass hub item shop story',
          'color id item itemid',
          'ids item',
          'dark red:2',
        ].join('|'),
      },
    })
  })

  it('belong to the hash of all texts', () => {
    const hashes = [
      {},
      { title: 'A' },
      { description: 'A' },
      { arguments: { properties: { a: {} } } },
      { synonyms: ['A'] },
    ].map((described) => Object.keys(Object(stored(described)).tools)[0])
    expect(new Set(hashes).size).toBe(5)
    expect(hashes).toEqual(hashes.map(() => expect.stringMatching(/^[0-9a-f]{16}$/)))
  })
})

describe('a search', () => {
  it('ranks as MiniSearch does with all terms', () => {
    const words = 'alpha beta gamma delta epsilon zeta eta theta'.split(' ')
    const description = (at: number): string =>
      words.filter((_, word) => ((at * 7 + word * 5) % 11) % (word + 2) === 0).join(' ')
    const tools = Object.fromEntries(
      Array.from({ length: 26 }, (_, at) => [`${'abcdefghijklmnopqrstuvwxyz'[at]}z`, { description: description(at) }]),
    )
    const whole = new MiniSearch({
      fields: ['name', 'description'],
      searchOptions: { boost: { name: 2 }, bm25: { k: 1.2, b: 0.7, d: 0 }, prefix: (term) => term.length > 3 },
    })
    whole.addAll(Object.entries(tools).map(([id, each]) => ({ id, name: id, description: each.description })))
    const search = searchIn({ t: tools })
    for (const query of [...words, 'alpha beta', 'gamma delta zeta', 'thet epsi']) {
      const results = whole.search(query)
      const scores = new Map(results.map(({ id, score }) => [`t.${id}`, score]))
      const found = search(query, 50)
      expect(new Set(found)).toEqual(new Set(scores.keys()))
      for (const [at, id] of found.entries())
        expect(scores.get(id)).toBeLessThanOrEqual((scores.get(found[at - 1] ?? '') ?? Infinity) + 1e-9)
    }
  })

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
