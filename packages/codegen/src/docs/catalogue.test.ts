import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileDesign } from '../emit/hostile-design.fixture.js'
import { type SmallTool, smallDesign } from '../emit/small-design.fixture.js'
import type { DesignIr } from '../ir/types.js'
import { catalogueText, type PageFormat, pageState } from './catalogue.js'
import { pageProblems } from './page-problems.fixture.js'

const options = { output: 'gen', importExtension: '.js' }

function textOf(design: DesignIr, format: PageFormat = 'markdown'): string {
  return catalogueText(design, options, format)
}

/** The Markdown of a toolset with one tool. */
function toolText(tool: Omit<SmallTool, 'name'>, defs: Readonly<Record<string, object>> = {}): string {
  return textOf(smallDesign([{ name: 'shop', tools: [{ name: 'buy', ...tool }], defs: { ...defs } as never }]))
}

const object = (properties: object, required: readonly string[] = []): never =>
  ({ type: 'object', properties, required }) as never

describe('the table of arguments', () => {
  it('has a line for every field, also inside objects and lists', () => {
    const line = object({ sku: { type: 'string', minLength: 1 }, count: { type: 'integer', minimum: 1, maximum: 9 } }, [
      'sku',
    ])
    const text = toolText({ arguments: object({ lines: { type: 'array', minItems: 1, items: line } }, ['lines']) })
    expect(text).toContain('| `lines` | array of objects | yes | not empty |\n')
    expect(text).toContain('| `lines[].sku` | string | yes | not empty |\n')
    expect(text).toContain('| `lines[].count` | integer | no | 1 to 9 |\n')
  })

  it('says defaults, allowed values and rules, and leaves out columns that no field needs', () => {
    const text = toolText({
      arguments: object({
        kind: { enum: ['a', 'b', 'c'], default: 'a', description: 'Which | one' },
        when: { type: 'string', format: 'date-time' },
        many: { type: 'array', uniqueItems: true, maxItems: 3, items: { type: 'string', pattern: '^x|y$' } },
        names: { type: 'object', additionalProperties: { type: 'number', exclusiveMinimum: 0 } },
      }),
    })
    expect(text).toContain('| Argument | Type | Required | Default | Rules | Description |')
    expect(text).toContain('| `kind` | `"a"`, `"b"` or `"c"` | no | `"a"` |  | Which \\| one |')
    expect(text).toContain('| `when` | date and time | no |')
    expect(text).toContain(
      '| `many` | array of strings | no |  | at most 3 items; unique items; each matches `^x\\|y$` |',
    )
    expect(text).toContain('| `names` | object whose values are numbers | no |')
    expect(toolText({ arguments: object({ a: { type: 'string' } }) })).toContain('| Argument | Type | Required |\n')
  })

  it('distinguishes the variants of a union', () => {
    const variant = (kind: string, field: string): never =>
      object({ kind: { const: kind }, [field]: { type: 'string' } }, ['kind'])
    const text = toolText({
      arguments: object({ pay: { anyOf: [variant('card', 'number'), variant('cash', 'note')] } }),
    })
    const rows = text.split('\n').filter((row) => row.startsWith('| `pay'))
    expect(rows.map((row) => row.split(' | ').slice(0, 2).join(' '))).toEqual([
      '| `pay` object',
      '| `pay` variant 1: `kind` is `"card"`',
      '| `pay.kind` `"card"`',
      '| `pay.number` string',
      '| `pay` variant 2: `kind` is `"cash"`',
      '| `pay.kind` `"cash"`',
      '| `pay.note` string',
    ])
  })

  it('links to definitions with fields, which occur once and can be recursive', () => {
    const part = object({ parts: { type: 'array', items: { $ref: '#/$defs/Part' } }, size: { $ref: '#/$defs/Size' } })
    const text = toolText(
      { arguments: object({ part: { $ref: '#/$defs/Part' } }), result: { $ref: '#/$defs/Part' } },
      { Part: part, Size: { enum: ['s', 'm'] } },
    )
    expect(text).toContain('| `part` | [`Part`](#type-shop.Part) | no |')
    expect(text).toContain('#### Result\n\n[`Part`](#type-shop.Part)\n')
    expect(text.match(/<a id="type-shop\.Part"><\/a>\n\n### Type `Part`/g)).toHaveLength(1)
    expect(text).toContain('| `parts` | array of [`Part`](#type-shop.Part) | no |')
    expect(text).toContain('| `size` | `"s"` or `"m"` | no |')
  })
})

describe('a tool', () => {
  it('is described with the texts of its design', () => {
    const text = toolText({
      description: 'Buys things.\n\nSlowly.',
      annotations: { destructive: true, idempotent: true },
      confirmation: { prompt: 'Buy {{sku}}?', deniedResult: { ok: false }, when: { required: ['gift'] } },
      serverOwned: [{ field: 'who', from: 'labels.user', schema: { type: 'string' } }],
      callHint: 'Buying',
      tags: ['money'],
      arguments: object({ sku: { type: 'string' } }, ['sku']),
      examples: [{ sku: 'LAMP-1' }],
    })
    expect(text).toContain('Buys things.\n\nSlowly.')
    expect(text).toContain('- It may destroy data and is idempotent.')
    expect(text).toContain('- It requires a confirmation: `Buy {{sku}}?`')
    expect(text).toContain(
      '- Only arguments that match this JSON Schema require the confirmation: `{"required":["gift"]}`.',
    )
    expect(text).toContain('- If the confirmation is denied, its result is `{"ok":false}`.')
    expect(text).toContain('- `who` is filled from `labels.user` of the call; models neither see nor send it.')
    expect(text).toContain('- While it runs, people read: `Buying`')
    expect(text).toContain('- Tags: `money`')
    expect(text).toContain(
      "```ts\nimport { newBuyCall } from './gen/toolsets/shop/index.js'\n\nnewBuyCall({ sku: 'LAMP-1' })\n```",
    )
  })

  it('without examples shows what a call has to give, and typed values as code writes them', () => {
    const needed = object({ sku: { type: 'string' }, kind: { enum: ['a'] }, note: { type: 'string' } }, ['sku', 'kind'])
    expect(toolText({ arguments: needed })).toContain("newBuyCall({ sku: '…', kind: 'a' })")
    const at = { type: 'string', format: 'date-time', 'x-js': 'Date' }
    const typed = toolText({ arguments: object({ at }), examples: [{ at: '2026-01-31T09:30:00Z' }] })
    expect(typed).toContain("newBuyCall({ at: new Date('2026-01-31T09:30:00.000Z') })")
  })
})

describe('an agent', () => {
  it('lists the tools that it calls and offers', () => {
    const design = smallDesign(
      [
        { name: 'shop', tools: [{ name: 'buy' }] },
        { name: 'desk', tools: [{ name: 'ask' }] },
      ],
      [
        {
          name: 'clerk',
          uses: ['shop'],
          exports: [{ toolset: 'desk', tools: [{ tool: 'ask', template: 'Asked: {{q}}' }] }],
        },
      ],
    )
    const text = textOf(design)
    expect(text).toContain('| [`shop`](#toolset-shop) | [`buy`](#tool-shop.buy) |')
    expect(text).toContain('The toolset [`desk`](#toolset-desk): each call is a run of the agent.')
    expect(text).toContain('| [`ask`](#tool-desk.ask) | `Asked: {{q}}` |')
    expect(text).toContain('- The agent [clerk](#agent-clerk) calls it;')
  })
})

describe('whatever the texts of a design hold', () => {
  it('the HTML is well formed, runs nothing of theirs, and all links lead somewhere', () => {
    fc.assert(
      fc.property(hostileDesign, (design) => {
        expect(pageProblems(textOf(design, 'html'))).toEqual([])
      }),
      { numRuns: 12 },
    )
  })

  it('the Markdown has no HTML but its own, and all links lead somewhere', () => {
    fc.assert(
      fc.property(hostileDesign, (design) => {
        const text = textOf(design).split('\n').slice(1).join('\n')
        const outside = text
          .replace(/^(`{3,})[^`\n]*\n[\s\S]*?^\1$/gm, '')
          .replace(/(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
        const tags = [...outside.matchAll(/(?<!\\)<[^\n]*?>/g)].map(([tag]) => tag.replace(/ id="[\w.~-]*"/, ''))
        expect(tags.filter((tag) => !/^<\/?(a|br|details|summary)>$/.test(tag))).toEqual([])
        const anchors = [...outside.matchAll(/<a id="([^"]*)">/g)].map(([, anchor]) => anchor)
        expect(new Set(anchors).size).toBe(anchors.length)
        const targets = [...outside.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor]) => anchor)
        expect(targets.filter((target) => !anchors.includes(target))).toEqual([])
      }),
      { numRuns: 12 },
    )
  })
})

it('the script of the HTML is one, and names no other address', () => {
  const [script = '', style = ''] = ['js', 'css'].map((type) =>
    readFileSync(new URL(`../../templates/catalogue.${type}`, import.meta.url), 'utf8'),
  )
  expect(() => new Script(script)).not.toThrow()
  expect(`${script}${style}`).not.toMatch(/https?:|@import|url\(|fetch\(|innerHTML/)
})

describe('a written page', () => {
  const design = smallDesign([{ name: 'shop', tools: [{ name: 'buy' }] }])

  it.each<PageFormat>(['markdown', 'html'])('as %s is the same each time and knows itself', (format) => {
    const text = textOf(design, format)
    expect(textOf(structuredClone(design), format)).toBe(text)
    expect(pageState(text)).toBe('own')
    expect(pageState(text.replaceAll('\n', '\r\n'))).toBe('own')
    expect(pageState(text.replace('Toolset', 'Tool set'))).toBe('edited')
    expect(pageState(`# Mine\n${text}`)).toBe('foreign')
  })
})
