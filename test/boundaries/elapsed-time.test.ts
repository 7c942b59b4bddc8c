import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './source-files.js'

/** Ways in which a test could depend on the speed of the machine, and what to write in their place. */
const rules: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  {
    // The deadline of a call is an argument, and the clock of a file with fake timers moves only where the test says so.
    pattern: /(?<!deadline.*)(?:performance\.now|Date\.now|process\.hrtime(?:\.bigint)?)\(\)/,
    instead: 'count the work, use fake timers, or measure `process.cpuUsage()` with a generous limit',
  },
  { pattern: /\bvi\.(?:waitFor|waitUntil)\(/, instead: 'use `expect.poll`, whose limit vitest.config.ts sets' },
  {
    pattern: /\b(?:testTimeout|hookTimeout)\b|\btimeout: [\d_]{4,}|^\s*\}, [\d_]{4,}\)$/,
    instead: 'leave the limit to vitest.config.ts',
  },
]

/** Files that read the clock for something else than a comparison with elapsed time. */
const exceptions: Readonly<Record<string, string>> = {
  'packages/codegen/src/read-module.test.ts': 'the text of a module that is judged',
  'packages/codegen/src/watch/watched-state.test.ts': 'the start of a run, an argument',
  'packages/runtime/src/layers/request.fixture.ts': 'the start of a request, a field',
  'test/boundaries/elapsed-time.test.ts': 'the examples of this test',
  'test/code-mode/sandbox.fixture.ts': 'the fixed time in a sandbox',
  'test/codec/time-bounds.test.ts': 'ends a process that would never end by itself',
  'test/sessions-postgres/claimer.mjs': 'the time of a suspension, an argument',
  'test/sessions-postgres/claims.ts': 'the time of a suspension, an argument',
  'test/sessions-soak/neighbours.mjs': 'a figure that the soak test prints',
  'test/sessions-soak/place-rounds.ts': 'the unique name of a file',
  'test/sessions-soak/process-life.ts': 'a figure that the soak test prints',
  'test/studio/page.test.ts': 'a figure that the test prints',
  'test/testing/cassette-file.test.ts': 'the start of a process, a field',
  'test/testing/record-replay.test.ts': 'the time of an event is not before its recording',
}

describe('defect 24: no test depends on elapsed time', () => {
  it('in any file of tests', () => {
    const paths = testFiles()
    expect(paths.length).toBeGreaterThan(600)
    const found = paths
      .filter((path) => !(path in exceptions))
      .flatMap((path) => findings(readFileSync(join(root, path), 'utf8')).map((finding) => `${path}:${finding}`))
    expect(found).toEqual([])
  })

  it('and every exception is needed', () => {
    const unneeded = Object.keys(exceptions).filter(
      (path) => findings(readFileSync(join(root, path), 'utf8')).length === 0,
    )
    expect(unneeded).toEqual([])
  })

  it.each([
    'const began = performance.now()',
    'expect(Date.now() - began).toBeLessThan(900)',
    'const began = process.hrtime.bigint()',
    'await vi.waitFor(() => expect(closed).toBe(true))',
    'vi.setConfig({ testTimeout: 60_000 })',
    "it('ends', { timeout: 60_000 }, async () => {",
    '}, 60_000)',
  ])('is found: %s', (line) => expect(findings(`x\n${line}\n`)).toHaveLength(1))

  it.each([
    'await call({ deadline: Date.now() + 10 })',
    'vi.useFakeTimers()\ntimes.push(Date.now())',
    'expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000)',
  ])('is allowed: %s', (text) => expect(findings(text)).toEqual([]))
})

/** Lines that break a rule, each with its number and what to write instead. */
function findings(text: string): readonly string[] {
  const hasFakeTimers = text.includes('vi.useFakeTimers(')
  return text
    .split('\n')
    .flatMap((line, index) =>
      rules
        .filter(({ pattern }, rule) => pattern.test(line) && !(rule === 0 && hasFakeTimers))
        .map(({ instead }) => `${index + 1}: ${line.trim()} (${instead})`),
    )
}

/** Paths of tests and of what they use, below the root. */
function testFiles(): readonly string[] {
  const sources = filesBelow('packages').filter((path) => /\.(?:test|fixture)\.ts$/.test(path))
  const others = [...filesBelow('test'), ...filesBelow('examples').filter((path) => path.includes('/test/'))]
  return [...sources, ...others.filter((path) => /\.(?:ts|mjs)$/.test(path))]
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    const isSkipped = ['node_modules', 'dist', 'gen'].includes(entry.name) || entry.name.startsWith('.')
    if (entry.isDirectory()) return isSkipped ? [] : filesBelow(path)
    return [path]
  })
}
