import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadCounter } from '../../packages/codegen/src/tokens/measure.js'
import { estimateTokens } from '../../packages/runtime/src/call/estimate-tokens.js'
import { dataFolder, hasData } from '../data.js'

/** Returns estimated tokens divided by tokens of the tokenizer: the values at 5 %, 50 % and 95 %. */
async function errors(texts: readonly string[]): Promise<readonly number[]> {
  const count = await loadCounter('o200k_base')
  const ratios = texts.map((text) => estimateTokens(text) / count(text)).sort((a, b) => a - b)
  return [0.05, 0.5, 0.95].map((part) => Number((ratios[Math.floor(ratios.length * part)] ?? 0).toFixed(2)))
}

describe('estimated tokens, divided by those of o200k_base', () => {
  it('are near 1 for rows of a database, and for other languages', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({
      id: `A-${index * 977}`,
      total: index * 7.25,
      createdAt: new Date(1.7e12 + index * 98_765_432).toISOString(),
      status: ['open', 'shipped', 'cancelled'][index % 3],
    }))
    const texts = [JSON.stringify(rows), 'Größenänderung für die Straße. '.repeat(9), '日本語のテキスト。'.repeat(20)]
    for (const text of texts) {
      const [ratio] = await errors([text])
      expect(ratio).toBeGreaterThan(0.75)
      expect(ratio).toBeLessThan(1.35)
    }
  })

  it.skipIf(!hasData)('are near 1 for the definitions and results of MCP tools (needs the data folder)', async () => {
    const folder = join(dataFolder() ?? '', 'mcp')
    const tools = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).tools)
    const calls = readFileSync(join(folder, '../mcp_calls/calls.jsonl'), 'utf8').trim().split('\n')
    const found = {
      tools: await errors(tools.map((each) => JSON.stringify(each))),
      results: await errors(
        calls.map((line) => JSON.stringify(JSON.parse(line).response)).filter((text) => text.length > 40),
      ),
    }
    console.log(
      `estimated tokens / o200k_base at 5, 50 and 95 % of ${tools.length} tools and ${calls.length} calls`,
      found,
    )
    expect(found.tools[0]).toBeGreaterThan(0.95)
    expect(found.tools[2]).toBeLessThan(1.25)
    expect(found.results[1]).toBeGreaterThan(0.8)
    expect(found.results[1]).toBeLessThan(1.25)
  })
})
