import process from 'node:process'
import { isolatedVmSandbox } from '@toolgen/runtime/code-mode'
import { describe, expect, it } from 'vitest'
import { testSandbox } from './sandbox.fixture.js'

const isSupported = Number.parseInt(process.versions.node, 10) >= 24

describe.skipIf(!isSupported)('isolatedVmSandbox, which needs Node 24 or later', () => {
  testSandbox(isolatedVmSandbox, ['error'])

  const run = async (body: string, computeMs: number) => {
    const sandbox = isolatedVmSandbox({ memoryMiB: 32 })
    const limits = { computeMs, totalMs: 120_000, calls: 1, parallel: 1, logCharacters: 0, resultCharacters: 10 }
    const program = { javascript: `async function program() { ${body} }`, paths: [], now: 0, seed: 1, limits }
    const outcome = await sandbox.run(program, async () => ({ ok: true, json: 'null' }))
    await sandbox.close()
    return outcome
  }

  it('stops a program that still runs after its result', async () => {
    const body = 'void (async () => { for (;;) await null })(); return 1'
    expect(await run(body, 60_000)).toEqual({ status: 'completed', json: '1', logs: [] })
  })

  it.each([
    ['a function of V8 that cannot be interrupted', 'return String(2n ** 100000000n).length', 'time', 200],
    [
      'a crash of V8',
      'return JSON.stringify(Array.from({ length: 1e8 }, (_, index) => index)).length',
      'memory',
      60_000,
    ],
    ['an allocation above the limit', 'return new Array(1e7).fill(1).length', 'memory', 60_000],
    ['a buffer that grows', 'new ArrayBuffer(8, { maxByteLength: 1e9 }).resize(9e8)', 'error', 60_000],
  ])('%s ends only the program', async (_, body, reason, computeMs) => {
    expect(await run(body, computeMs)).toMatchObject({ status: 'failed', reason })
  })
})

it.skipIf(isSupported)('isolatedVmSandbox names the version of Node that it needs', () => {
  expect(() => isolatedVmSandbox()).toThrow(
    /needs Node 24 or later, and this is Node \d+\.\d+\.\d+\. Use quickJsSandbox\./,
  )
})
