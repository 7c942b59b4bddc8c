import { readdirSync, readFileSync } from 'node:fs'
import { get_encoding } from 'tiktoken'
import { describe, expect, it } from 'vitest'
import { encodings } from '../../packages/codegen/src/load/toolgen-config.js'
import { loadCounter } from '../../packages/codegen/src/tokens/measure.js'
import { dataFolder } from '../data.js'

/** Texts of all kinds, besides what real servers say of their tools. */
const texts: readonly string[] = [
  '',
  ' ',
  'The quick brown fox jumps over the lazy dog.',
  JSON.stringify({ type: 'object', properties: { orderId: { type: 'string', minLength: 1 } }, required: ['orderId'] }),
  '  \n\n\t{\r\n  "a": [1, 22, 333, 4444]\r\n}\n\n\n',
  "It's what they'd've said; WE'LL SEE. snake_case kebab-case camelCase HTTPServer2",
  'Größe, naïve, Ångström, ﬁ, e\u0301, \u200d\u00ad',
  '注文番号を入力してください。 주문 번호 Αριθμός παραγγελίας номер заказа رقم الطلب',
  '👩‍👩‍👧‍👦 🏳️‍🌈 😀😀😀',
  'a lone \ud800 surrogate',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  '<|endoftext|> and <|fim_prefix|> are plain text here',
]

/** What real servers say of their tools; of many where the data folder is. */
const listed = [...toolsIn(new URL('../../examples/files/design/files.mcp.json', import.meta.url)), ...capturedTools()]

describe.each(encodings)('%s', (name) => {
  it("counts as OpenAI's own tokenizer does", async () => {
    const count = await loadCounter(name)
    const reference = get_encoding(name)
    const differing = [...texts, ...listed].filter((text) => count(text) !== reference.encode(text, [], []).length)
    reference.free()
    expect(differing).toEqual([])
  })
})

it('counts what OpenAI publishes', async () => {
  // From the cookbook "How to count tokens with tiktoken".
  const [o200k, cl100k] = await Promise.all([loadCounter('o200k_base'), loadCounter('cl100k_base')])
  const published: readonly [string, number, number][] = [
    ['antidisestablishmentarianism', 6, 6],
    ['2 + 2 = 4', 7, 7],
    ['お誕生日おめでとう', 8, 9],
  ]
  expect(published.map(([text]) => [text, o200k(text), cl100k(text)])).toEqual(published)
})

it('ends for a word without an end', async () => {
  const count = await loadCounter('o200k_base')
  const started = process.cpuUsage()
  expect(count('x'.repeat(50_000))).toBeGreaterThan(1_000)
  expect(count(`${' '.repeat(50_000)}${'='.repeat(50_000)}`)).toBeGreaterThan(100)
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000)
})

function capturedTools(): readonly string[] {
  const folder = dataFolder()
  if (folder === undefined) return []
  return readdirSync(`${folder}/mcp`).flatMap((file) => toolsIn(`${folder}/mcp/${file}`).slice(0, 4))
}

function toolsIn(file: URL | string): readonly string[] {
  const { tools, result } = JSON.parse(readFileSync(file, 'utf8'))
  return Object.values(tools ?? result.tools).map((tool) => JSON.stringify(tool))
}
