import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from './project.fixture.js'
import { startWatch } from './watch.fixture.js'

const orders = smallProject['design/orders.ts'] ?? ''

describe('generate --watch, from its start to its end', () => {
  let project: Project
  beforeAll(() => {
    project = createProject({ ...smallProject, 'toolgen.config.ts': 'export default {' })
  })
  afterAll(() => project.remove())

  it('waits for a configuration that is broken', async () => {
    const watching = startWatch(project)
    expect(await watching.run()).toMatchObject({ exitCode: 2, diagnostics: [{ code: 'TG1002' }] })
    project.write({ 'toolgen.config.ts': smallProject['toolgen.config.ts'] })
    expect(await watching.run()).toMatchObject({ exitCode: 0, changed: ['toolgen.config.ts'] })
    expect(await watching.end('SIGINT')).toBe(0)
  })

  it('reports a generated file that is changed after the first run', async () => {
    const types = 'gen/toolsets/orders/types.ts'
    const watching = startWatch(project)
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
    const generated = project.read(types)
    project.write({ [types]: `${generated}// changed\n` })
    expect(await watching.run()).toMatchObject({ exitCode: 4, diagnostics: [{ code: 'TG5001' }], changed: [types] })
    project.write({ [types]: generated })
    expect(await watching.run()).toMatchObject({ exitCode: 0, upToDate: true })
    expect(await watching.end()).toBe(0)
  })

  it('cuts off a design that never ends loading, and takes the next edit', async () => {
    project.write({ 'design/orders.ts': `while (true) {}\n${orders}` })
    const watching = startWatch(project, '--time-limit', '5')
    expect(await watching.run()).toMatchObject({ exitCode: 3, diagnostics: [{ code: 'TG0004' }] })
    project.write({ 'design/orders.ts': orders })
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
    expect(await watching.end()).toBe(0)
  })

  it('ends at once while a design loops, and leaves no process', async () => {
    project.write({ 'design/orders.ts': `console.log('looping')\nwhile (true) {}\n${orders}` })
    const watching = startWatch(project)
    while (!watching.notes().includes('looping')) await watching.rest(50)
    expect(await watching.end('SIGINT')).toBe(0)
    const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    expect(left.split('\n').filter((line) => line.includes(project.root))).toEqual([])
    project.write({ 'design/orders.ts': orders })
  })

  it('says one line per run to people', async () => {
    const watching = startWatch(project, '--reporter', 'pretty')
    while (!watching.notes().includes('watching for changes')) await watching.rest(50)
    await watching.end()
    expect(watching.notes()).toMatch(
      /^\d\d:\d\d:\d\d up to date: gen, 1 tool in 1 toolset, 1 agent \(.*\)\nwatching for/,
    )
  })

  it('is refused where it makes no sense', () => {
    for (const args of [
      ['check', '--watch'],
      ['generate', '--time-limit', '5'],
      ['generate', '--watch', '--time-limit', 'soon'],
    ]) {
      expect(project.toolgen(...args)).toMatchObject({ code: 2, stdout: '' })
    }
  })
})

it('generate --watch sees compiler options that the tsconfig extends, also without a service client', async () => {
  const base = (lib: string): string => `{ "compilerOptions": { "lib": ["${lib}"] } }\n`
  const project = createProject({
    'package.json': '{ "type": "module" }\n',
    'toolgen.config.ts': `export default { design: 'design.ts' }\n`,
    'tsconfig.json': '{ "extends": "./base.json", "compilerOptions": { "module": "nodenext" } }\n',
    'base.json': base('ES2022'),
    'design.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'
const ping = defineTool({ description: 'Ping.', payload: z.object({}), result: z.object({}) })
export const orders = defineToolset('orders', { description: 'Orders.', tools: { ping } })
`,
  })
  const watching = startWatch(project)
  expect(await watching.run()).toMatchObject({ exitCode: 0 })
  project.write({ 'base.json': base('ES2023') })
  expect(await watching.run()).toMatchObject({ exitCode: 0, changed: ['base.json'] })
  expect(await watching.end('SIGINT')).toBe(0)
  project.remove()
})
