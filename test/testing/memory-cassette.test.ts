import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { Runtime, runConfig, tool, toolset } from '../../packages/runtime/src/index.js'
import { memoryCassette, openCassette, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { asksFor, cassetteFile, configOf, live, shopOf } from './shop.fixture.js'

const script = () => scriptedModel([asksFor('A-1', 'A-2'), says('Both have shipped.')])
const recording = (options: Parameters<typeof memoryCassette>[0] = {}) => {
  const cassette = memoryCassette(options)
  return { cassette, config: runConfig().layer(cassette.toolLayer()).modelLayer(cassette.modelLayer()) }
}

it('records a run in memory, and a file with its text replays the run', async () => {
  const { cassette, config } = recording({ redact: (text) => text.replaceAll('they', 'THEY') })
  const recorded = await shopOf(script()).run('Where are they?', { config })
  const text = cassette.text()
  expect(text.split('\n')).toHaveLength(1 + 2 + 2 + 1)
  expect(cassette.bytes).toBe(Buffer.byteLength(text.slice(text.indexOf('\n') + 1)))
  expect([text.includes('they'), text.includes('THEY')]).toEqual([false, true])
  const file = await cassetteFile()
  await writeFile(file, text)
  const replay = await openCassette(file, { redact: (each) => each.replaceAll('they', 'THEY') })
  const silent = scriptedModel([new Error('The model was called.')])
  const work = { execute: live(replay) }
  const replayed = await shopOf(silent, work).run('Where are they?', {
    config: configOf(replay).config.modelLayer(replay.modelLayer()),
  })
  await replay.close()
  expect(replayed.result).toEqual(recorded.result)
  expect(replayed.messages).toEqual(recorded.messages)
})

it('a recording that is too large fails, but not the run', async () => {
  const { cassette, config } = recording({ maxBytes: 100 })
  const run = await shopOf(script()).run('Where are they?', { config })
  expect(run.status).toBe('completed')
  expect(cassette.bytes).toBe(0)
  expect(() => cassette.text()).toThrow('The recording in memory failed: it is larger than 100 bytes.')
})

it('a value that a cassette cannot contain does not fail the run', async () => {
  // The redacted amount does not match the schema of the result.
  const { cassette, config } = recording({ redact: (text) => text.replaceAll('4150', 'many') })
  const run = await shopOf(script()).run('Where are they?', { config })
  expect(run.status).toBe('completed')
  expect(() => cassette.text()).toThrow(
    '`redact` changed a value of orders.getOrder so that it no longer matches its schema',
  )
})

it('has no text before an exchange has ended', async () => {
  const { cassette, config } = recording()
  expect(() => cassette.text()).toThrow('The recording in memory failed: no model and no tool was called.')
  let finish = (): void => undefined
  let start = (): void => undefined
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  const slow = async () => {
    start()
    await held
    return { id: 'A-1' }
  }
  const local = new Runtime().registerToolset(
    toolset('local', tool({ name: 'wait', description: 'Wait.', parameters: { type: 'object' }, run: slow })),
  )
  const running = local.execute({ tool: 'wait', arguments: '{}' }, { config })
  await started
  expect(() => cassette.text()).toThrow('1 exchanges are not finished. Wait until all runs have ended.')
  finish()
  await running
  expect(cassette.text()).toContain('local.wait')
})

it.each([0, -1, 1.5, Number.NaN])('rejects the maximum size %s', (maxBytes) => {
  expect(() => memoryCassette({ maxBytes })).toThrow(RangeError)
})
