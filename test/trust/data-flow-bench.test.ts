import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hasData } from '../data.js'

const scripts = new URL('../../scripts/bench/', import.meta.url)
const { benchmark } = await import(new URL('data-flow.bench.mjs', scripts).href)

describe.skipIf(!hasData)('npm run bench -- data-flow (needs the data folder)', () => {
  it('has a finding or none for each pair of servers, and compares the judged pairs', async () => {
    const { measurements, details } = await benchmark({ parts: ['pairs', 'judged'], log: () => undefined })
    const servers = new Set(details.flatMap(({ pair }: { pair: readonly string[] }) => pair))
    expect(details.length).toBe((servers.size * (servers.size - 1)) / 2)
    const judged = details.filter((each: object) => 'judged' in each)
    const rows = readFileSync(new URL('data-flow/judged.csv', scripts), 'utf8').trim().split('\n').slice(1)
    expect([judged.length, new Set(rows).size]).toEqual([rows.length, rows.length])
    expect(judged.length).toBeGreaterThanOrEqual(60)
    const rates = new Map(
      measurements.map((each: { case: string; contestant: string; value: number }) => [
        `${each.case.replace(/^\d+ /, '')}: ${each.contestant.replace(/ of .*/, '')}`,
        each.value,
      ]),
    )
    expect(rates.get('judged pairs, held-out: false positives')).toBeLessThan(10)
    expect(rates.get('judged pairs, held-out: false negatives')).toBeLessThan(30)
  })
})
