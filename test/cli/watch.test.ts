import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { check } from '@toolgen/codegen'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from './project.fixture.js'
import { startWatch, type Watching } from './watch.fixture.js'

const orders = smallProject['design/orders.ts'] ?? ''
const described = (text: string): string => orders.replace('Fetch one order.', text)
const types = 'gen/toolsets/orders/types.ts'

describe('generate --watch', () => {
  let project: Project
  let watching: Watching
  beforeAll(async () => {
    project = createProject(smallProject)
    watching = startWatch(project)
    expect(await watching.run()).toMatchObject({ command: 'generate', exitCode: 0, upToDate: false, changed: [] })
  })
  afterAll(async () => {
    await watching.end()
    project.remove()
  })
  /** Whatever a test does, the project is then in sync again. */
  afterEach(async () => {
    project.write({ 'design/orders.ts': orders })
    await expect.poll(() => check({ cwd: project.root })).toMatchObject({ ok: true })
    await watching.rest(100)
  })

  it('writes what an edit in place changes, and says what it was', async () => {
    project.write({ 'design/orders.ts': described('Fetch it.') })
    const run = await watching.run()
    expect(run).toMatchObject({ exitCode: 0, changed: ['design/orders.ts'], removed: [] })
    expect(run.written).toContain('toolsets/orders/specs.ts')
    expect(project.read('gen/toolsets/orders/specs.ts')).toContain('Fetch it.')
    expect(await watching.rest(150)).toEqual([])
  })

  it('sees a file that is renamed over another, and one that is removed and made again', async () => {
    project.write({ 'design/orders.ts.tmp': described('Renamed over it.') })
    renameSync(join(project.root, 'design/orders.ts.tmp'), join(project.root, 'design/orders.ts'))
    expect(await watching.run()).toMatchObject({ exitCode: 0, changed: ['design/orders.ts'] })
    rmSync(join(project.root, 'design/orders.ts'))
    project.write({ 'design/orders.ts': described('Made again.') })
    expect(await watching.run((run) => run.written.length > 0)).toMatchObject({ exitCode: 0 })
    expect(project.read('gen/toolsets/orders/specs.ts')).toContain('Made again.')
  })

  it('makes one run of several edits', async () => {
    project.write({
      'design/orders.ts': described('Several at once.'),
      'design/fields.ts': smallProject['design/fields.ts']?.replace('Order number', 'Number'),
    })
    expect(await watching.run()).toMatchObject({ changed: ['design/fields.ts', 'design/orders.ts'] })
    project.write({ 'design/fields.ts': smallProject['design/fields.ts'] })
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
  })

  it('does nothing about a file that is touched or written as it was, nor about files of editors', async () => {
    utimesSync(join(project.root, 'design/orders.ts'), new Date(), new Date())
    writeFileSync(join(project.root, 'design/orders.ts'), orders)
    project.write({ 'design/.orders.ts.swp': 'x', 'design/4913': '', 'design/orders.ts~': orders })
    expect(await watching.rest(300)).toEqual([])
    project.write({ 'design/.orders.ts.swp': undefined, 'design/4913': undefined, 'design/orders.ts~': undefined })
  })

  it('shows what is wrong with a broken design, and goes on once it is mended', async () => {
    const before = project.read(types)
    project.write({ 'design/orders.ts': orders.replace('defineToolset(', 'defineToolset((') })
    expect(await watching.run()).toMatchObject({ exitCode: 3, diagnostics: [{ code: 'TG2002' }], written: [] })
    expect(project.read(types)).toBe(before)
    project.write({ 'design/orders.ts': described('Mended.') })
    expect(await watching.run()).toMatchObject({ exitCode: 0, diagnostics: [] })
  })

  it('waits for a module that does not exist yet, in a folder that does not exist either', async () => {
    const text = described('Far.').replace('./fields.js', '../shared/deep/fields.js')
    project.write({ 'design/orders.ts': text })
    expect(await watching.run()).toMatchObject({ exitCode: 3, diagnostics: [{ code: 'TG2003' }] })
    project.write({ 'shared/deep/fields.ts': smallProject['design/fields.ts'] })
    await watching.run(({ exitCode }) => exitCode === 0)
    project.write({ 'design/orders.ts': orders })
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
    rmSync(join(project.root, 'shared'), { recursive: true })
  })

  it('finds a new module of the design, also in a new folder, and forgets one that is gone', async () => {
    rmSync(join(project.root, 'toolgen.config.ts'))
    expect(await watching.run()).toMatchObject({ exitCode: 2, diagnostics: [{ code: 'TG1001' }] })
    project.write({ 'toolgen.config.ts': `export default { design: 'design/**/*.ts' }\n` })
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
    project.write({ 'design/more/refunds.ts': orders.replaceAll(/orders\b/g, 'refunds').replace('./f', '../f') })
    await watching.run(({ written }) => written.includes('toolsets/refunds/types.ts'))
    expect(project.has('gen/toolsets/refunds/types.ts')).toBe(true)
    rmSync(join(project.root, 'design/more'), { recursive: true })
    await watching.run(({ removed }) => removed.includes('toolsets/refunds/types.ts'))
    expect(project.has('gen/toolsets/refunds')).toBe(false)
    project.write({ 'toolgen.config.ts': smallProject['toolgen.config.ts'] })
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
  })

  it('sees the type of a client, the compiler options and a snapshot that the design reads', async () => {
    const client = smallProject['src/orders-client.ts'] ?? ''
    project.write({ 'src/orders-client.ts': client.replace('status: string', 'status: number') })
    expect(await watching.run()).toMatchObject({ exitCode: 0, changed: ['src/orders-client.ts'] })
    project.write({ 'src/orders-client.ts': client })
    await watching.run()
    project.write({ 'tsconfig.json': smallProject['tsconfig.json']?.replaceAll('ES2022', 'ES2023') })
    expect(await watching.run()).toMatchObject({ exitCode: 0, changed: ['tsconfig.json'] })
    project.write({
      'design/words.json': '{ "about": "From a snapshot." }',
      'design/orders.ts': `import words from './words.json' with { type: 'json' }\n${orders.replace(`'Fetch one order.'`, 'words.about')}`,
    })
    await watching.run(({ changed }) => changed.includes('design/orders.ts'))
    // This run does not evaluate the module that reads the snapshot.
    project.write({ 'src/orders-client.ts': `${client}\n` })
    await watching.run(({ changed }) => changed.includes('src/orders-client.ts'))
    project.write({ 'design/words.json': '{ "about": "From another." }' })
    expect(await watching.run()).toMatchObject({ exitCode: 0, changed: ['design/words.json'] })
    expect(project.read('gen/toolsets/orders/specs.ts')).toContain('From another.')
  })

  it('reports a generated file that is changed by hand, and leaves it', async () => {
    const before = project.read(types)
    project.write({ [types]: `${before}// mine\n` })
    expect(await watching.run()).toMatchObject({ exitCode: 4, diagnostics: [{ code: 'TG5001' }], changed: [types] })
    expect(project.read(types)).toContain('// mine')
    project.write({ [types]: before })
    expect(await watching.run()).toMatchObject({ exitCode: 0, upToDate: true })
  })

  it('writes the output again if it is removed', async () => {
    rmSync(join(project.root, 'gen'), { recursive: true })
    await expect.poll(() => project.has('gen/toolgen.lock.json')).toBe(true)
    expect(project.has(types)).toBe(true)
  })

  it('makes one more run of all that changes while one is under way', async () => {
    const slow = `import { setTimeout } from 'node:timers/promises'\nconsole.error('begun')\nawait setTimeout(300)\n`
    const noted = watching.notes().length
    project.write({ 'design/orders.ts': slow + described('Second.') })
    while (!watching.notes().slice(noted).includes('begun')) await pause(20)
    for (const text of ['Third.', 'Fourth.', 'Fifth.']) {
      project.write({ 'design/orders.ts': slow + described(text) })
      await pause(30)
    }
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
    expect(project.read('gen/toolsets/orders/specs.ts')).toContain('Fifth.')
    expect(await watching.rest(300)).toEqual([])
  })

  it('survives a design that ends the process, throws behind its back or waits for ever', async () => {
    const before = project.read(types)
    for (const [line, code] of [
      ['process.exit(0)', 'TG0004'],
      ['await new Promise(() => {})', 'TG0004'],
      [`setTimeout(() => { throw new Error('late') })\nawait new Promise(() => {})`, 'TG0005'],
    ] as const) {
      project.write({ 'design/orders.ts': `${line}\n${orders}` })
      expect(await watching.run()).toMatchObject({ exitCode: 3, diagnostics: [{ code }] })
      expect(project.read(types)).toBe(before)
    }
    project.write({ 'design/orders.ts': `console.log('to standard error'); process.stdout.write('too')\n${orders}` })
    expect(await watching.run()).toMatchObject({ exitCode: 0 })
    expect(watching.notes()).toMatch(/to standard error[\s\S]*too|too[\s\S]*to standard error/)
  })
})
