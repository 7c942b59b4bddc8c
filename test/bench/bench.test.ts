import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'

const scripts = new URL('../../scripts/', import.meta.url)
const { main } = await import(new URL('bench/command.mjs', scripts).href)
const { atLeast, atMost, below, rowsOf, skipped, wrong } = await import(new URL('bench/report.mjs', scripts).href)

const script = fileURLToPath(new URL('bench.mjs', scripts))
const peer = { case: 'parse', contestant: 'peer', value: 10, unit: 'ms CPU' }
const own = { ...peer, contestant: 'toolgen', value: 8 }

describe('npm run bench', () => {
  it('prints rows with exactly the documented properties', () => {
    const args = [script, 'sessions', '--only', 'idle', '--quick', '--without', 'PGlite,PostgreSQL', '--json']
    const { stdout, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const { name, rows } = JSON.parse(stdout)
    expect(name).toBe('sessions')
    const row = {
      contestant: 'memory store',
      value: expect.any(Number),
      unit: 'KB',
      ratio: null,
      aim: { quantity: 'value', comparison: '<', limit: 20 },
      met: expect.any(Boolean),
    }
    expect(rows).toStrictEqual([
      { ...row, case: 'idle session, opened' },
      { ...row, case: 'idle session, after a consumed call' },
    ])
  })

  it('exits with 1 and names the missed rows with --enforce', async () => {
    const measurements = [{ ...own, aims: [atMost(8), atMost(0.5, 'peer')] }, peer]
    expect(await bench(['calls', '--enforce', '--json'], measurements)).toMatchObject({
      code: 1,
      errors: ['missed: parse, toolgen: 8 ms CPU, aim <= 0.5 × peer, ratio 0.800'],
    })
    expect(await bench(['calls', '--json'], measurements)).toMatchObject({ code: 0, errors: [expect.any(String)] })
    expect(await bench(['calls', '--enforce'], [{ ...own, aims: [atMost(8)] }])).toMatchObject({ code: 0, errors: [] })
  })

  it.each([
    [
      [],
      'Name a benchmark: npm run bench -- calls|code-mode|codec|data-flow|durable|generate|limits|mcp|sessions|studio|tool-search|watch',
    ],
    [
      ['speed'],
      'Unknown benchmark: speed. Allowed: calls, code-mode, codec, data-flow, durable, generate, limits, mcp, sessions, studio, tool-search, watch',
    ],
    [
      ['calls', '--parts', 'x'],
      'Unknown option: --parts. Allowed: --only, --without, --rounds, --quick, --json, --enforce, --help',
    ],
    [['calls', '--json=yes'], '--json has no value.'],
    [['calls', '--only', 'one,x'], 'Unknown value of --only: x. Allowed: one, two'],
    [['calls', '--only'], 'Unknown value of --only: . Allowed: one, two'],
    [['calls', '--without', 'PGlite'], 'This benchmark has no option --without.'],
    [['calls', '--rounds', '3'], 'This benchmark has no option --rounds.'],
    [['durable', '--rounds', '0'], '--rounds must be a positive integer.'],
    [['calls', 'one'], 'Unexpected argument: one. To run parts, use --only one'],
    [
      ['calls', '--quick', '--enforce'],
      '--enforce needs full measurements. Remove --quick, whose figures have no meaning.',
    ],
  ])('rejects %j', async (argv, message) => {
    expect(await bench(argv, [])).toMatchObject({ code: 2, errors: [message] })
  })

  it('passes the chosen parts in their order and the number of rounds, and prints help', async () => {
    const { chosen } = await bench(['calls', '--only', 'two', '--only', 'one'], [])
    expect(chosen).toEqual({ parts: ['one', 'two'], rounds: undefined })
    expect(await bench(['durable'], [])).toMatchObject({ chosen: { rounds: 20 } })
    expect(await bench(['durable', '--rounds', '3'], [])).toMatchObject({ chosen: { rounds: 3 } })
    const { code, output } = await bench(['calls', '--help'], [])
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('  one  first\n  two  second\n'),
    })
  })
})

describe('rows', () => {
  it('have a ratio to the reference, and one row for each aim', () => {
    const aims = [below(8), atMost(1, 'peer'), atLeast(7)]
    expect(rowsOf([{ ...own, aims, against: 'peer' }, peer])).toStrictEqual([
      { ...own, ratio: 0.8, aim: { quantity: 'value', comparison: '<', limit: 8 }, met: false },
      { ...own, ratio: 0.8, aim: { quantity: 'ratio', against: 'peer', comparison: '<=', limit: 1 }, met: true },
      { ...own, ratio: 0.8, aim: { quantity: 'value', comparison: '>=', limit: 7 }, met: true },
      { ...peer, ratio: 1, aim: null, met: null },
    ])
  })

  it('have no aim if they are skipped, and miss their aim if they are wrong', () => {
    const noAim = { ratio: null, aim: null, met: null }
    expect(rowsOf([{ ...own, value: skipped('no data'), aims: [atMost(8)] }])).toMatchObject([noAim])
    expect(
      rowsOf([
        { ...own, aims: [atMost(1, 'peer')] },
        { ...peer, value: skipped('no data') },
      ]),
    ).toMatchObject([noAim, noAim])
    expect(rowsOf([{ ...own, value: wrong('no result'), aims: [atMost(8)] }])).toMatchObject([{ met: false }])
  })

  it('reject values that are not finite, and references that do not exist', () => {
    expect(() => rowsOf([{ ...own, value: Number.NaN }])).toThrow('the value of "parse" of toolgen is NaN')
    expect(() => rowsOf([{ ...own, against: 'nobody' }])).toThrow('no measurement "parse" of nobody in ms CPU')
  })
})

/** Runs the command with a benchmark that returns these measurements. */
async function bench(argv: string[], measurements: object[]) {
  const [print, log] = [vi.fn(), vi.fn()]
  let chosen = {}
  const benchmark = async ({ parts, rounds }: { parts: string[]; rounds?: number }) => {
    chosen = { parts, rounds }
    return measurements
  }
  const counted = argv[0] === 'durable' ? { defaultRounds: 20 } : {}
  const load = async () => ({ parts: { one: 'first', two: 'second' }, ...counted, benchmark })
  const code = await main(argv, { load, print, log })
  return { code, chosen, output: print.mock.calls.flat().join('\n'), errors: log.mock.calls.flat() }
}
