import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { stdioCaller } from '../../packages/runtime/src/mcp.js'
import { boundOver, importedAs, isAlive } from './served.fixture.js'

afterEach(() => void vi.useRealTimers())

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

it('a toolset is served over stdio and ends when its client goes', async () => {
  const caller = stdioCaller({ command: process.execPath, args: [here('./weather-server.mjs')] })
  const client = boundOver(caller, importedAs('client', { weather: {} }))
  const outcome = await client.execute({ tool: 'client.weather', arguments: '{"city":"Rome"}' })
  expect(outcome).toMatchObject({ status: 'completed', result: { data: { city: 'Rome', sky: 'blue' } } })
  // Signals are sent after some time only, and no time passes: the server ends by itself.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await caller.close()
  expect(vi.getTimerCount()).toBe(0)
})

it('a toolset that is served over stdio takes arguments of megabytes', async () => {
  const caller = stdioCaller({ command: process.execPath, args: [here('./weather-server.mjs')] })
  const city = 'R'.repeat(12_000_000)
  const { signal } = new AbortController()
  const { content } = await caller.callTool({ name: 'weather', arguments: { city } }, { signal })
  expect(content).toEqual([{ type: 'text', text: JSON.stringify({ city, sky: 'blue' }) }])
  await caller.close()
})

it.each(['SIGTERM', 'SIGINT'] as const)('a server ends with the process that started it, at %s', async (signal) => {
  const parent = spawn(process.execPath, [here('./calling-process.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line]: unknown[] = await once(parent.stdout, 'data')
  const server = Number(String(line))
  expect(isAlive(server)).toBe(true)
  parent.kill(signal)
  const [, endedBy]: unknown[] = await once(parent, 'exit')
  expect(endedBy).toBe(signal)
  await expect.poll(() => isAlive(server)).toBe(false)
})

it('a server ends with its process, where a library waits for whoever else listens', async () => {
  const parent = spawn(process.execPath, [here('./calling-process.mjs'), 'waits'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line]: unknown[] = await once(parent.stdout, 'data')
  parent.kill('SIGTERM')
  expect(await once(parent, 'exit')).toEqual([null, 'SIGTERM'])
  await expect.poll(() => isAlive(Number(String(line)))).toBe(false)
})

it('a signal with a listener of the application is left to the application, even if it listens once', async () => {
  const parent = spawn(process.execPath, [here('./calling-process.mjs'), 'works'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line]: unknown[] = await once(parent.stdout, 'data')
  let said = ''
  parent.stdout.on('data', (chunk) => {
    said += chunk
  })
  parent.kill('SIGTERM')
  expect(await once(parent, 'close')).toEqual([5, null])
  expect(said).toBe('work done')
  await expect.poll(() => isAlive(Number(String(line)))).toBe(false)
})
