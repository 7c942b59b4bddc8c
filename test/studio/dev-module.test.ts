import { describe, expect, it } from 'vitest'
import { Dev, files, module, start } from './dev.fixture.js'
import type { Client } from './shop.fixture.js'

const args = ['src/tools.ts', '--port', '0']
const getOrder = { tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' }

/** Calls the tool of the module, and returns the text that a model reads. */
async function totalOf(client: Client): Promise<string> {
  const { run } = await client.post('api/calls', getOrder)
  await client.parts(run)
  return (await client.get(`api/runs/${run}`)).text
}

describe('toolgen dev with a module that misbehaves', () => {
  it('ends with a signal while the module is in an endless loop', async () => {
    const { project, dev } = start({ 'src/tools.ts': module('1') }, ...args)
    await dev.line()
    project.write({ 'src/tools.ts': `console.error('loops')\nfor (;;) {}\n` })
    await expect.poll(() => dev.notes).toContain('loops')
    dev.child.kill('SIGINT')
    await dev.ended
    expect(dev.child.signalCode).toBe('SIGINT')

    const again = new Dev(project, ...args)
    await expect.poll(() => again.notes).toContain('loops')
    again.child.kill('SIGTERM')
    await again.ended
    expect(again.child.signalCode).toBe('SIGTERM')
  })

  it('ends with a signal while a report evaluates a design that is in an endless loop', async () => {
    const loop = `import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
if (isMainThread) appendFileSync('loops.log', 'loops')
for (;;) {}
`
    const { project, dev } = start({ 'loops.log': '' })
    const client = await dev.client()
    project.write({ 'design/loop.ts': loop })
    const report = client.get('api/contract/lint').catch(() => 'no response')
    await expect.poll(() => project.read('loops.log')).toBe('loops')
    dev.child.kill('SIGINT')
    await dev.ended
    expect([dev.child.signalCode, await report]).toEqual(['SIGINT', 'no response'])
  })

  it('keeps running after an unhandled rejection and an error of a timer, and reports both once', async () => {
    const failing = `${module('1')}
const fail = () => void Promise.reject(new Error('no database'))
fail()
setTimeout(fail, 1)
setTimeout(() => {
  throw new TypeError('no cache')
}, 1)
`
    const { project, dev } = start({ 'src/tools.ts': failing }, ...args)
    const lines = [await dev.line(), await dev.line(), await dev.line()]
    const found = lines.flatMap(({ diagnostics }) => diagnostics).sort((a, b) => (a.message < b.message ? -1 : 1))
    expect(found).toMatchObject([
      { code: 'TG7006', message: 'A timer or promise of the module to serve failed in the background: no cache' },
      { code: 'TG7006', message: 'A timer or promise of the module to serve failed in the background: no database' },
    ])
    const client = dev.clientOf(lines)
    expect((await client.get('api/project')).problems).toHaveLength(2)
    const { run } = await client.post('api/calls', { tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' })
    await client.parts(run)
    expect((await client.get(`api/runs/${run}`)).text).toBe('{"total":1}')
    // A corrected module has no problems.
    project.write({ 'src/tools.ts': module('2') })
    expect((await dev.line()).diagnostics).toEqual([])
    expect((await client.get('api/project')).problems).toEqual([])
    dev.child.kill('SIGINT')
    expect(await dev.ended).toBe(0)
  })

  it('ends within a limit if the module does not close, and reports it', async () => {
    const hanging = module('1').replace(
      `console.error('closed 1')`,
      '{ console.error("closing"); return new Promise(() => {}) }',
    )
    const { project, dev } = start({ 'src/tools.ts': hanging }, ...args)
    await dev.line()
    // A new module does not wait forever for the old one.
    project.write({ 'src/tools.ts': hanging.replace('total: 1', 'total: 2') })
    const { diagnostics, tools } = await dev.line()
    const error = {
      code: 'TG7006',
      message: 'The `close` of the module did not end within 5 seconds.',
      next: 'Look for an endless loop or a promise that never settles in the `close` function of the export.',
    }
    expect([diagnostics, tools]).toMatchObject([[error], 1])
    dev.child.kill('SIGINT')
    expect((await dev.line()).diagnostics).toMatchObject([error])
    expect(await dev.ended).not.toBe(0)
  })

  it('ends with a second signal if the module blocks the process while it closes', async () => {
    const blocking = module('1').replace(`console.error('closed 1')`, '{ console.error("closing"); for (;;) {} }')
    const { dev } = start({ 'src/tools.ts': blocking }, ...args)
    await dev.line()
    dev.child.kill('SIGINT')
    await expect.poll(() => dev.notes).toContain('closing')
    dev.child.kill('SIGINT')
    await dev.ended
    expect(dev.child.signalCode).toBe('SIGINT')
  })

  it.each([
    ['the configured module', `module: 'src/tools.ts'`, ['--port', '0']],
    ['the module of the command line', '', args],
  ])('loads %s when it is deleted and created again', async (_, setting, options) => {
    const config = `export default { design: 'design/*.ts', output: 'gen', ${setting} }\n`
    const { project, dev } = start({ 'toolgen.config.ts': config, 'src/tools.ts': module('1') }, ...options)
    const client = await dev.client()
    project.write({ 'src/tools.ts': undefined })
    expect((await dev.line()).diagnostics).toMatchObject([
      { code: 'TG0016', message: 'The module `src/tools.ts` does not exist.' },
    ])
    expect(await client.get('api/project')).toMatchObject({
      canCall: false,
      reason: '`src/tools.ts` could not be loaded, so its tools cannot be called.',
      problems: [{ code: 'TG0016' }],
    })
    // Without the module, the generated code is shown.
    project.write({ 'design/orders.ts': files['design/orders.ts'].replaceAll('getOrder', 'findOrder') })
    await dev.line(({ tools }) => tools === 1)
    await expect.poll(async () => (await client.get('api/tools')).tools[0]?.id).toBe('orders.findOrder')
    project.write({ 'design/orders.ts': files['design/orders.ts'] })
    await expect.poll(async () => (await client.get('api/tools')).tools[0]?.id).toBe('orders.getOrder')

    project.write({ 'src/tools.ts': module('2') })
    await expect.poll(async () => (await client.get('api/project')).canCall).toBe(true)
    expect(await totalOf(client)).toBe('{"total":2}')
  })

  it('refuses calls from the start of loading a module until its end', async () => {
    const { project, dev } = start({ 'src/tools.ts': module('1') }, ...args)
    const client = await dev.client()
    const slow = `import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
console.error('loading')
while (!existsSync('go')) await pause(1)
`
    project.write({ 'src/tools.ts': `${slow}${module('2')}` })
    await expect.poll(() => dev.notes).toContain('loading')
    const headers = { 'content-type': 'application/json' }
    const response = await client.fetch('api/calls', { method: 'POST', headers, body: JSON.stringify(getOrder) })
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { error: { message: 'The module is being loaded.' } },
    ])
    expect((await client.get('api/runs')).runs).toEqual([])
    project.write({ go: '' })
    await dev.line()
    expect(await totalOf(client)).toBe('{"total":2}')
  })
})
