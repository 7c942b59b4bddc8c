import { quickJsSandbox } from '@toolgen/runtime/code-mode'
import { describe, expect, it } from 'vitest'
import { testSandbox } from './sandbox.fixture.js'

testSandbox(quickJsSandbox, ['crashed', 'result'])

describe('the threads of the sandbox', () => {
  const threads = (): number => Reflect.get(process.report.getReport(), 'workers').length
  const limits = { computeMs: 500, totalMs: 60_000, calls: 1, parallel: 1, logCharacters: 10, resultCharacters: 100 }
  const program = { paths: [], now: 0, seed: 1, limits }

  it('run one program after the other', async () => {
    const sandbox = quickJsSandbox()
    const before = threads()
    for (let n = 0; n < 20; n += 1) {
      const javascript = `async function program() { return ${n} }`
      const outcome = await sandbox.run({ ...program, javascript }, async () => 'suspended')
      expect(outcome).toMatchObject({ status: 'completed', json: `${n}` })
    }
    expect(threads() - before).toBe(1)
    await sandbox.close()
    expect(threads()).toBe(before)
  })

  it('are replaced after a program that needed much memory', async () => {
    const sandbox = quickJsSandbox({ memoryMiB: 32 })
    const outcomes = []
    for (const body of ["return 'x'.repeat(17_000_000).length", 'return 1']) {
      const javascript = `async function program() { ${body} }`
      outcomes.push(await sandbox.run({ ...program, javascript }, async () => 'suspended'))
    }
    expect(outcomes).toMatchObject([
      { status: 'completed', json: '17000000' },
      { status: 'completed', json: '1' },
    ])
    await sandbox.close()
  })
})
